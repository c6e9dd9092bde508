#pragma once

#include <span>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "rooflab/trace/trace_collectives.hpp"
#include "rooflab/trace/trace_devices.hpp"
#include "rooflab/trace/trace_kernels.hpp"
#include "rooflab/trace/trace_memory.hpp"
#include "rooflab/trace/trace_operators.hpp"
#include "rooflab/trace/trace_steps.hpp"

namespace rooflab::trace {

/// The panes that depend on whose rule counts: steps, roles, launches.
struct TracePanes {
  StepWindows steps;
  StepBreakdown breakdown;
  OverlapTable overlap;
  std::vector<DeviceUse> devices;
  OperatorTable operators;
};

/// Everything that one process's trace says. docs/methods/traces.md.
struct TraceAnalysis {
  TracePanes plugin;  ///< what PyTorch's TensorBoard plugin showed
  TracePanes ours;
  TraceKernels kernels;
  std::vector<CollectiveRow> collectives;
  std::vector<MemoryCurve> memory;
  bool has_shapes = false;  ///< some op has its arguments recorded
};

[[nodiscard]] std::span<const Field> fields_of(For<TracePanes>);
[[nodiscard]] std::span<const Field> fields_of(For<TraceAnalysis>);

/// Takes `record.trace` and the kernels in `record.kernels` that have a start; a record without
/// either gives empty panes. A few seconds for some million events, and about 60 bytes an op beside
/// the record.
///
///     const TraceAnalysis analysis =
///     analyze_trace(import::read_kineto_trace("step.pt.trace.json")); for (const DeviceUse& use :
///     analysis.ours.devices) ... use.sm_efficiency ...
[[nodiscard]] TraceAnalysis analyze_trace(const record::Record& record);

}  // namespace rooflab::trace
