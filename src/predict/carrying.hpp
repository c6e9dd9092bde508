#pragma once

#include "rooflab/device/device.hpp"
#include "rooflab/predict/op_model.hpp"
#include "source_model.hpp"

namespace rooflab::predict {

/// Time of an op on a device, scaled from another device.
struct CarriedTime {
  double time_s = 0.0;
  double deviation = 0.0;  ///< sd of log(time) for this kind of op, including the source's
  /// Whether the source runs this op by an algorithm with less work than the direct one.
  bool saves_work = false;
};

/// Scales the time of an op from a source to a target device. The rule is at the head of
/// carrying.cpp.
[[nodiscard]] CarriedTime carried_time(const OpShape& shape, const SourceModel& source,
                                       const device::Device& target);

/// Whether the target has the same maker as the source and is not better in any figure:
/// multiprocessors, their lanes, clock, power, peaks, bandwidth and L2 cache.
[[nodiscard]] bool is_nowhere_better(const device::Device& target, const device::Device& source);

/// Measured time of exactly this op on the source, for a target that is_nowhere_better(); 0 for
/// others.
[[nodiscard]] double least_time(const OpShape& shape, const SourceModel& source,
                                const device::Device& target);

/// Whether two boards differ only in the size of their memory.
[[nodiscard]] bool is_same_board(const device::Device& one, const device::Device& other);

}  // namespace rooflab::predict
