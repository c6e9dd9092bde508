#include "rooflab/analyze/step_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "predict/device_queue.hpp"
#include "rooflab/analyze/case_result.hpp"

namespace rooflab::analyze {
namespace {

using schedule::Pass;
using schedule::ScheduledOp;

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// What the op does, as people ask where the time went: a copy of a convolution's operand is a
/// copy.
OpClass class_of(const schedule::Schedule& schedule, const ScheduledOp& op) {
  if (std::holds_alternative<schedule::CopyWork>(op.work) ||
      std::holds_alternative<schedule::CastWork>(op.work) ||
      std::holds_alternative<schedule::FillWork>(op.work)) {
    return OpClass::copy;
  }
  if (std::holds_alternative<schedule::AccumulateWork>(op.work)) return OpClass::elementwise;
  if (op.node < 0) return op.pass == Pass::optimizer ? OpClass::optimizer : OpClass::loss;
  return op_class_of(schedule.graph.nodes[static_cast<std::size_t>(op.node)].op);
}

std::string name_of(const schedule::Schedule& schedule, const ScheduledOp& op) {
  const std::string work = schedule.name_of(op);
  if (op.node < 0) return format("({}): {}", rooflab::name_of(op.pass), work);
  return format("{}: {} ({})", schedule.graph.nodes[static_cast<std::size_t>(op.node)].name, work,
                rooflab::name_of(op.pass));
}

/// How much later the host could issue all of it.
std::int64_t slack_ns(const StepTimeline& timeline) {
  std::int64_t slack = std::numeric_limits<std::int64_t>::max();
  for (const TimelineOp& op : timeline.ops) {
    if (op.end_ns > op.start_ns) slack = std::min(slack, op.start_ns - op.issue_end_ns);
  }
  if (slack == std::numeric_limits<std::int64_t>::max()) return 0;
  return slack - nanoseconds(predict::fallback_latency_s);
}

}  // namespace

StepTimeline step_timeline(const schedule::Schedule& schedule, const predict::StepTime& step) {
  ROOFLAB_ASSERT(step.ops.size() == schedule.ops.size());
  StepTimeline timeline;
  timeline.length_ns = nanoseconds(step.time.value);
  timeline.has_host = step.host.value > 0.0;
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    const predict::OpTime& time = step.ops[i];
    const ScheduledOp& scheduled = schedule.ops[i];
    TimelineOp op;
    op.name = timeline.names.intern(name_of(schedule, scheduled));
    op.kind = timeline.names.intern(time.device.kind);
    op.op_class = class_of(schedule, scheduled);
    op.issue_start_ns = nanoseconds(time.issued_s - time.issue_s);
    op.issue_end_ns = nanoseconds(time.issued_s);
    op.start_ns = nanoseconds(time.start_s);
    op.end_ns = nanoseconds(time.end_s);
    if (time.device.kind.empty()) op.start_ns = op.end_ns;
    timeline.ops.push_back(op);
  }
  if (!timeline.has_host) return timeline;
  constexpr std::int64_t rounding_ns = 10;
  const std::int64_t slack = slack_ns(timeline);
  timeline.host_is_ahead = slack > rounding_ns;
  if (!timeline.host_is_ahead) return timeline;
  for (TimelineOp& op : timeline.ops) {
    op.issue_start_ns += slack;
    op.issue_end_ns += slack;
  }
  return timeline;
}

}  // namespace rooflab::analyze
