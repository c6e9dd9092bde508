#pragma once

#include <cstdint>
#include <vector>

#include "rooflab/graph/op_kinds.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

/// One op of a predicted step on the host's and the device's queue. Nanoseconds from the step's
/// beginning on the device, which is the end of the step before.
struct TimelineOp {
  record::NameTable::Id name = 0;  ///< in StepTimeline::names: `layer1.0.conv1: conv2d (forward)`
  record::NameTable::Id kind = 0;  ///< in StepTimeline::names; of work on the device
  graph::OpClass op_class = graph::OpClass::other;
  std::int64_t issue_start_ns = 0;  ///< may be negative: the device is at the step before
  std::int64_t issue_end_ns = 0;    ///< equal: it costs the host nothing
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< equal: no work on the device
};

/// A predicted step, op by op: 50 bytes each.
struct StepTimeline {
  record::NameTable names;
  std::vector<TimelineOp> ops;  ///< in the order in which they are issued
  std::int64_t length_ns = 0;   ///< the step's time
  bool has_host = false;        ///< false: issue costs were left out, all ops are issued at once
  /// The host issues each op before the device can start it. How far it is ahead then depends on
  /// how many steps came before: it is drawn as late as no op's start would change.
  bool host_is_ahead = false;
};

/// `step` still has its ops.
[[nodiscard]] StepTimeline step_timeline(const schedule::Schedule& schedule,
                                         const predict::StepTime& step);

}  // namespace rooflab::analyze
