#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/trace/step_work.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "rooflab/trace/trace_operators.hpp"

namespace rooflab::trace {

/// The panes that depend on whose rule counts: steps, roles, launches.
struct TracePanes {
  StepWindows steps;
  StepBreakdown breakdown;
  OverlapTable overlap;
  std::vector<DeviceUse> devices;
  OperatorTable operators;
};

/// What the steps of our rule did, all of them together: kernels that begin in a step's window,
/// operators that the host began in a step. A trace without steps counts as one.
struct StepTables {
  std::size_t steps = 1;  ///< what the sums below are divided by for the mean step
  TraceKernels kernels;
  std::vector<OperatorRow> operators;
  std::vector<ModelledOperator> modelled_operators;
  std::vector<CollectiveRow> collectives;
};

/// Everything that one process's trace says. docs/methods/traces.md.
struct TraceAnalysis {
  TracePanes plugin;  ///< what PyTorch's TensorBoard plugin showed
  TracePanes ours;
  StepTables step_tables;
  StepWork work;
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

/// Collectives of one name on one rank, by the plugin's rule.
struct CollectiveOpRow {
  std::string name;  ///< `nccl:all_reduce`
  std::int64_t calls = 0;
  double bytes = 0.0;            ///< from the op's shapes; types it does not know count as 0
  std::int64_t latency_ns = 0;   ///< union of ranges and kernels
  std::int64_t transfer_ns = 0;  ///< that without waiting
};

/// Mean per step of what a rank's collectives spent on moving data and on waiting for other ranks.
struct Synchronization {
  double transfer_ns = 0.0;
  double wait_ns = 0.0;
  std::vector<CollectiveOpRow> ops;
};

/// One process of a job.
struct RankRow {
  int rank = 0;
  std::size_t record = 0;  ///< number of its record
  std::size_t steps = 0;   ///< our rule counts them
  double step_ns = 0.0;    ///< mean length of a step
  StepOverlap plugin_overlap;
  StepOverlap overlap;
  std::optional<double> utilization;  ///< mean over its devices, ours
  std::optional<Synchronization> plugin_synchronization;
  /// Ours: collective kernels that were found on every rank, all calls, and how long this rank's
  /// waited in them for others.
  std::int64_t matched_collectives = 0;
  std::int64_t collective_ns = 0;
  std::int64_t wait_ns = 0;
};

/// Several processes of one job.
struct TraceJob {
  std::vector<RankRow> ranks;              ///< sorted by rank
  std::string no_plugin_synchronization;   ///< why it is absent; empty: it is there
  std::int64_t unmatched_collectives = 0;  ///< kernels that not every rank has as often
  /// Largest over mean, minus 1, of the ranks' computation per step (kernels, overlapped or not):
  /// 0 is balanced. nullopt: no computation.
  std::optional<double> load_imbalance;
};

[[nodiscard]] std::span<const Field> fields_of(For<CollectiveOpRow>);
[[nodiscard]] std::span<const Field> fields_of(For<Synchronization>);
[[nodiscard]] std::span<const Field> fields_of(For<RankRow>);
[[nodiscard]] std::span<const Field> fields_of(For<TraceJob>);

/// Traces of one job, one of each rank. Ranks are what the traces say; a trace that does not, or
/// that says one that is taken, gets the next free number.
[[nodiscard]] TraceJob analyze_job(std::span<const record::Record> records);

/// Treats several traces, if the records are nothing else, as the ranks of one job.
[[nodiscard]] std::optional<TraceJob> job_of(std::span<const record::Record> records);

}  // namespace rooflab::trace
