#pragma once

#include <cstdint>
#include <vector>

#include "rooflab/graph/op_kinds.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

/// One op of a predicted step on the queues of host and device. Times in nanoseconds from the
/// step's start on the device, which is the end of the previous step.
struct TimelineOp {
  record::NameTable::Id name = 0;  ///< in StepTimeline::names: `layer1.0.conv1: conv2d (forward)`
  record::NameTable::Id kind = 0;  ///< in StepTimeline::names; of work on the device
  graph::OpClass op_class = graph::OpClass::other;
  std::int64_t issue_start_ns = 0;  ///< may be negative: the device runs the previous step
  std::int64_t issue_end_ns = 0;    ///< equal to start: no cost on the host
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< equal to start: no work on the device
};

/// A predicted step, op by op: 50 bytes each.
struct StepTimeline {
  record::NameTable names = {};
  std::vector<TimelineOp> ops = {};  ///< in the order in which they are issued
  std::int64_t length_ns = 0;        ///< the step's time
  bool has_host = false;  ///< false: issue costs were left out, all ops are issued at once
  /// Whether the host issues each op before the device can start it. Its lead then depends on the
  /// number of previous steps: issues are drawn as late as possible without delaying an op.
  bool host_is_ahead = false;
};

/// Timeline of a predicted step; `step` must still have its ops.
[[nodiscard]] StepTimeline step_timeline(const schedule::Schedule& schedule,
                                         const predict::StepTime& step);

}  // namespace rooflab::analyze
