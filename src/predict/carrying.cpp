// From the time of an op on a device that was measured to one that was not.
//
// A kernel fills a multiprocessor with work; what bounds it there carries over. So the source is
// asked for the op at equal work for each multiprocessor: its leading extent (batch, rows,
// elements) times the ratio of the numbers of multiprocessors. Of that time w, without the floor t0
// of the kind, and of the times that both devices' achievable rates (achievable_rate.hpp) allow,
// L_s for the scaled op on the source and L_t for the op on the target,
//
//     e = L_s / w                                         how near the source came to its rates
//     t = t0 + max(L_t, w (L_t / L_s)^a c^(1 - a))        a = e^q
//
// with c the ratio of sustained clocks, source over target. An op that runs at the source's rates
// (e = 1) follows the rates. An op far from them is bound within the multiprocessor, by latency,
// instruction issue or shared memory: its time follows the clock, and what the source's faster
// tensor cores or memory could have done does not slow it on a target that has less of them. q says
// how soon: 2; 0.6 for products on tensor cores, whose kernels are rewritten for each
// generation, and 1 for layer norm and softmax. These were chosen on published single ops of
// devices that are left out (docs/accuracy.md), where they matter by some points only. Where an
// algorithm saves work or the L2 cache serves the source (e > 1), the ratio to the rates carries,
// but nothing runs faster than the target's memory delivers.
//
// What sizes that fill no vectors of 16 bytes cost is not carried beyond what was measured: over
// the op of whole vectors, the op takes at most as many times longer as on the source.
//
// A target that is nowhere better than the source is not predicted to be faster. Boards that differ
// in nothing but the size of their memory take the same time.

#include "carrying.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "achievable_rate.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {
namespace {

/// Boards of one chip run the same kernels; only rates and clocks differ.
constexpr double same_chip_share = 0.4;

/// How one class of ops carries.
struct Class {
  double q;
  double deviation;  ///< sd of log(time) that carrying adds
};

Class class_of(const OpShape& shape) {
  const bool on_tensor_cores =
      shape.type == "tf32" || shape.type == "bf16" || shape.type == "fp16" || shape.type == "fp8";
  if (shape.op.starts_with("conv")) return {2.0, on_tensor_cores ? 0.25 : 0.3};
  if (is_product(shape.op)) return on_tensor_cores ? Class{0.6, 0.15} : Class{2.0, 0.2};
  if (shape.op.ends_with("softmax") || shape.op == "layer_norm") return {1.0, 0.25};
  return {2.0, columns_of(shape.op).size() > 1 ? 0.25 : 0.1};
}

double sustained_clock(const device::Device& device) {
  if (!device.boost_clock) return 0.0;
  const auto kept = device::sustained_ratio(device);
  return device.boost_clock->value * (kept ? kept->value : 1.0);
}

OpShape at_equal_work(const OpShape& shape, const device::Device& source,
                      const device::Device& target) {
  OpShape scaled = shape;
  if (source.sm_count && target.sm_count) {
    const double ratio = source.sm_count->value / target.sm_count->value;
    scaled.sizes.front() = std::max(1.0, shape.sizes.front() * ratio);
  }
  return scaled;
}

/// The time of the op of whole vectors, as many times longer as the op takes on the source.
double most_time(const OpShape& shape, double there_s, const SourceModel& source,
                 const device::Device& target) {
  OpShape whole = shape;
  whole.sizes = whole_vectors(shape, shape.sizes);
  if (whole.sizes == shape.sizes) return std::numeric_limits<double>::infinity();
  const auto found = source.nearest(at_equal_work(whole, source.device(), target));
  if (!found) return std::numeric_limits<double>::infinity();
  const double slowed = std::max(1.0, there_s / found->estimate().time_s);
  return slowed * carried_time(whole, source, target).time_s;
}

}  // namespace

CarriedTime carried_time(const OpShape& shape, const SourceModel& source,
                         const device::Device& target) {
  constexpr double typical_efficiency = 0.6;
  constexpr double unknown_deviation = 0.5;
  constexpr double smallest_launch_s = 2e-6;
  const OpShape scaled = at_equal_work(shape, source.device(), target);
  const RoofTimes roofs = achievable_times(shape, target);
  const double allowed = roofs.longest();
  const auto found = source.nearest(scaled);
  if (!found) {
    return {smallest_launch_s + datasheet_times(shape, target).longest() / typical_efficiency,
            unknown_deviation, false};
  }
  const OpModel::Estimate there = found->estimate();
  const double floor = std::min(found->floor(), there.time_s);
  const RoofTimes source_roofs = achievable_times(scaled, source.device());
  const double allowed_there = source_roofs.longest();
  const Class rule = class_of(shape);
  const bool same_chip = relation_of(target, source.device()) <= Relation::same_chip;
  const double carrying = same_chip ? same_chip_share * rule.deviation : rule.deviation;
  CarriedTime result{there.time_s, std::hypot(there.deviation, carrying), false};
  if (is_same_board(target, source.device())) return result;
  if (allowed <= 0.0 || allowed_there <= 0.0) return result;

  // Nothing runs at more than three times the direct algorithm's rate.
  const double work = std::max(there.time_s - floor, allowed_there / 3.0);
  const double efficiency = allowed_there / work;
  double time = 0.0;
  if (efficiency >= 1.0) {
    time = std::max(work * allowed / allowed_there, roofs.memory_s);
    result.saves_work = source_roofs.matrix_s > source_roofs.memory_s;
  } else {
    const double there_clock = sustained_clock(source.device());
    const double here_clock = sustained_clock(target);
    const double clocks = there_clock > 0.0 && here_clock > 0.0 ? there_clock / here_clock : 1.0;
    const double a = std::pow(efficiency, rule.q);
    time =
        std::max(allowed, work * std::pow(allowed / allowed_there, a) * std::pow(clocks, 1.0 - a));
  }
  result.time_s = std::min(floor + time, most_time(shape, there.time_s, source, target));
  result.time_s = std::max(result.time_s, least_time(shape, source, target));
  return result;
}

double least_time(const OpShape& shape, const SourceModel& source, const device::Device& target) {
  if (!is_nowhere_better(target, source.device())) return 0.0;
  const auto nearest = source.nearest(shape);
  if (!nearest) return 0.0;
  double least = nearest->estimate().time_s;
  // nearest() may be the other 16-bit type, whose table has more rows.
  if (nearest->kind != shape.kind()) {
    if (const auto same = source.own(shape)) least = std::max(least, same->estimate().time_s);
  }
  return least;
}

bool is_nowhere_better(const device::Device& target, const device::Device& source) {
  if (target.id == source.id) return true;
  if (target.vendor != source.vendor) return false;
  const auto no_better = [](const std::optional<device::Figure>& one,
                            const std::optional<device::Figure>& other) {
    return one && other && one->value <= other->value;
  };
  if (!no_better(target.sm_count, source.sm_count) ||
      !no_better(target.fp32_lanes_per_sm, source.fp32_lanes_per_sm) ||
      !no_better(target.boost_clock, source.boost_clock) ||
      !no_better(target.bandwidth, source.bandwidth) || !no_better(target.l2, source.l2) ||
      !no_better(target.tdp, source.tdp)) {
    return false;
  }
  return std::ranges::all_of(target.peaks, [&source](const auto& entry) {
    const auto other = source.peaks.find(entry.first);
    return other != source.peaks.end() && entry.second.value <= other->second.value;
  });
}

bool is_same_board(const device::Device& one, const device::Device& other) {
  return is_nowhere_better(one, other) && is_nowhere_better(other, one);
}

}  // namespace rooflab::predict
