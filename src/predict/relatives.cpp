// The order in which calibrations are asked.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "rooflab/base/text.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {
namespace {

std::optional<double> capability(const device::Device& device) {
  return device.compute_capability ? parse_number(device.compute_capability->value) : std::nullopt;
}

/// How far two generations are apart: compute capabilities where both have one, else memories.
double generations_apart(const device::Device& one, const device::Device& other) {
  const std::optional<double> first = capability(one);
  const std::optional<double> second = capability(other);
  if (first && second) return std::abs(*first - *second);
  if (!one.bandwidth || !other.bandwidth) return 0.0;
  return std::abs(std::log2(one.bandwidth->value / other.bandwidth->value));
}

}  // namespace

Relation relation_of(const device::Device& one, const device::Device& other) {
  if (one.id == other.id) return Relation::same_device;
  if (one.vendor != other.vendor) return Relation::other_maker;
  if (!one.chip.empty() && one.chip == other.chip) return Relation::same_chip;
  if (!one.architecture.empty() && one.architecture == other.architecture) {
    return Relation::same_architecture;
  }
  return Relation::same_maker;
}

std::vector<CalibratedDevice> relatives_of(const device::Device& target,
                                           std::vector<CalibratedDevice> calibrated) {
  std::erase_if(calibrated,
                [](const CalibratedDevice& each) { return each.calibration->ops.empty(); });
  const auto distance = [&target](const CalibratedDevice& each) {
    return std::pair(relation_of(target, each.device),
                     generations_apart(each.device, target));
  };
  std::ranges::stable_sort(calibrated, {}, distance);
  return calibrated;
}

}  // namespace rooflab::predict
