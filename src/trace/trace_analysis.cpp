#include "rooflab/trace/trace_analysis.hpp"

#include "trace_panes.hpp"

namespace rooflab::trace {
namespace {

/// `work`: nullptr, or what our rule adds.
TracePanes panes_by(const Timeline& timeline, TraceRule rule, StepWork* work) {
  TracePanes panes;
  panes.steps = step_windows(timeline, rule);
  RoleSets roles = role_sets(timeline, rule);
  panes.breakdown = step_breakdown(roles, panes.steps, rule);
  panes.overlap = step_overlap(roles, panes.steps, rule);
  const OperatorTree tree(timeline, rule);
  if (work != nullptr) *work = step_work(timeline, tree, roles, panes.steps);
  roles = {};
  panes.devices = device_use(timeline, tree, panes.steps.span(), rule);
  panes.operators = operator_table(timeline, tree, rule);
  return panes;
}

}  // namespace

TraceAnalysis analyze_trace(const record::Record& record) {
  const Timeline timeline(record);
  TraceAnalysis analysis;
  // One after the other: each frees its tables before the next.
  analysis.plugin = panes_by(timeline, TraceRule::plugin, nullptr);
  analysis.ours = panes_by(timeline, TraceRule::ours, &analysis.work);
  analysis.kernels = trace_kernels(timeline);
  analysis.collectives = collective_rows(*timeline.trace);
  analysis.memory = memory_curves(*timeline.trace);
  analysis.has_shapes = timeline.trace->ranges.arguments.size() > 1;
  return analysis;
}

}  // namespace rooflab::trace
