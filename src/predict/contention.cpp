#include "contention.hpp"

#include <algorithm>

namespace rooflab::predict {
namespace {

/// More than so much of a device no collective takes.
constexpr double largest_share = 0.5;

/// Slowdown of kernels that have only the multiprocessors that the all-reduce leaves.
double slowdown_on(const device::Device& device, const LinkModel& link) {
  if (!device.sm_count) return 1.0;
  const double share = link.multiprocessors() / device.sm_count->value;
  return 1.0 / (1.0 - std::min(share, largest_share));
}

}  // namespace

Contention Contention::times(double factor) const {
  const auto scaled = [factor](const MutualSlowdown& slowdown) {
    return MutualSlowdown{std::max(1.0, factor * slowdown.kernel),
                          std::max(1.0, factor * slowdown.all_reduce)};
  };
  return {scaled(compute), scaled(memory), measured};
}

Contention contention_on(const device::Device& device, const LinkModel& link, int devices) {
  if (const std::optional<device::Overlap> measured = link.overlap(devices)) {
    const Contention contention{{measured->product, measured->all_reduce_beside_product},
                                {measured->copy, measured->all_reduce_beside_copy},
                                true};
    return contention.times(1.0);  // a ratio below 1 is noise
  }
  const MutualSlowdown of_all{.kernel = slowdown_on(device, link)};
  return {.compute = of_all, .memory = of_all};
}

}  // namespace rooflab::predict
