#include "rooflab/trace/trace_analysis.hpp"

#include <algorithm>
#include <utility>

#include "trace_panes.hpp"

namespace rooflab::trace {
namespace {

/// When the host works for the steps.
Moments host_moments(const StepWindows& steps) {
  std::vector<TimeInterval> ranges;
  for (const StepWindow& step : steps.steps) ranges.push_back(step.marked);
  return steps.marked ? Moments(std::move(ranges)) : Moments();
}

/// What ours adds for tables of the mean step.
StepTables step_tables(const Timeline& timeline, const StepWindows& steps,
                       const OperatorTree& tree) {
  StepTables tables;
  if (steps.marked) tables.steps = std::max<std::size_t>(steps.steps.size(), 1);
  const Moments device = device_moments(steps);
  const Moments host = host_moments(steps);
  tables.kernels = trace_kernels(timeline, device);
  OperatorTable operators = operator_table(timeline, tree, TraceRule::ours, host);
  tables.operators = std::move(operators.by_name);
  tables.modelled_operators = std::move(operators.modelled);
  tables.collectives = collective_rows(*timeline.trace, device, host);
  return tables;
}

/// `ours`: nullptr, or what our rule adds.
TracePanes panes_by(const Timeline& timeline, TraceRule rule, TraceAnalysis* ours = nullptr) {
  TracePanes panes;
  panes.steps = step_windows(timeline, rule);
  std::vector<DeviceRoles> roles = role_sets(timeline, panes.steps, rule);
  panes.breakdown = step_breakdown(roles, panes.steps, rule);
  panes.overlap = step_overlap(roles, panes.steps, rule);
  const OperatorTree tree(timeline, rule);
  if (ours != nullptr) {
    ours->step_tables = step_tables(timeline, panes.steps, tree);
    ours->work = step_work(timeline, tree, roles, panes.steps, ours->step_tables.kernels);
  }
  roles.clear();
  panes.devices = device_use(timeline, tree, panes.steps.span(), rule);
  panes.operators = operator_table(timeline, tree, rule);
  return panes;
}

}  // namespace

TraceAnalysis analyze_trace(const record::Record& record) {
  const Timeline timeline(record);
  TraceAnalysis analysis;
  // One after the other: each frees its tables before the next.
  analysis.plugin = panes_by(timeline, TraceRule::plugin);
  analysis.ours = panes_by(timeline, TraceRule::ours, &analysis);
  analysis.kernels = trace_kernels(timeline);
  analysis.collectives = collective_rows(*timeline.trace);
  analysis.memory = memory_curves(*timeline.trace);
  analysis.has_shapes = timeline.trace->ranges.arguments.size() > 1;
  return analysis;
}

}  // namespace rooflab::trace
