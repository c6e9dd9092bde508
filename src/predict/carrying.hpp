#pragma once

#include "rooflab/device/device.hpp"
#include "rooflab/predict/op_model.hpp"
#include "source_model.hpp"

namespace rooflab::predict {

/// The time of an op on a device from that of another.
struct CarriedTime {
  double time_s = 0.0;
  double deviation = 0.0;  ///< sd of log(time) of this kind of op, the source's own included
  /// The source runs this op by an algorithm with less work than the direct one.
  bool saves_work = false;
};

/// Carries the time of an op from a source to a target. The rule is at the
/// head of carrying.cpp.
[[nodiscard]] CarriedTime carried_time(const OpShape& shape, const SourceModel& source,
                                       const device::Device& target);

/// The target is of the same maker and in no figure better than the source: multiprocessors, their
/// lanes, clock, power, peaks, bandwidth and L2 cache.
[[nodiscard]] bool is_nowhere_better(const device::Device& target, const device::Device& source);

/// What the source takes for the very op, for a target that is nowhere better than it; 0 for
/// others.
[[nodiscard]] double least_time(const OpShape& shape, const SourceModel& source,
                                const device::Device& target);

/// Boards that differ in nothing but the size of their memory.
[[nodiscard]] bool is_same_board(const device::Device& one, const device::Device& other);

}  // namespace rooflab::predict
