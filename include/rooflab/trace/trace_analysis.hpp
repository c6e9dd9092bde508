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

/// The panes that depend on the rule of counting (TraceRule): steps, roles, launches.
struct TracePanes {
  StepWindows steps = {};
  StepBreakdown breakdown = {};
  OverlapTable overlap = {};
  std::vector<DeviceUse> devices = {};
  OperatorTable operators = {};
};

/// Work of all steps of our rule together: kernels that begin in a step's window, operators that
/// the host began in a step. A trace without steps counts as one.
struct StepTables {
  std::size_t steps = 1;  ///< number of steps in the sums below
  TraceKernels kernels = {};
  std::vector<OperatorRow> operators = {};
  std::vector<ModelledOperator> modelled_operators = {};
  std::vector<CollectiveRow> collectives = {};
};

/// Analysis of the trace of one process. docs/methods/traces.md.
struct TraceAnalysis {
  TracePanes plugin = {};  ///< panes by the rules of PyTorch's TensorBoard plugin
  TracePanes ours = {};
  StepTables step_tables = {};
  StepWork work = {};
  TraceKernels kernels = {};
  std::vector<CollectiveRow> collectives = {};
  std::vector<MemoryCurve> memory = {};
  bool has_shapes = false;  ///< arguments of some op are recorded
};

[[nodiscard]] std::span<const Field> fields_of(For<TracePanes>);
[[nodiscard]] std::span<const Field> fields_of(For<TraceAnalysis>);

/// Analyses `record.trace` and the kernels in `record.kernels` that have a start; a record without
/// either gives empty panes. Takes a few seconds for several million events, and about 60 bytes per
/// op in addition to the record.
///
///     const TraceAnalysis analysis =
///     analyze_trace(import::read_kineto_trace("step.pt.trace.json")); for (const DeviceUse& use :
///     analysis.ours.devices) ... use.sm_efficiency ...
[[nodiscard]] TraceAnalysis analyze_trace(const record::Record& record);

/// Collectives of one name on one rank, by the plugin's rule.
struct CollectiveOpRow {
  std::string name = {};  ///< `nccl:all_reduce`
  std::int64_t calls = 0;
  double bytes = 0.0;            ///< from the op's shapes; unknown types count as 0
  std::int64_t latency_ns = 0;   ///< union of ranges and kernels
  std::int64_t transfer_ns = 0;  ///< part of latency_ns without waiting
};

/// Mean time per step in which a rank's collectives move data and wait for other ranks.
struct Synchronization {
  double transfer_ns = 0.0;
  double wait_ns = 0.0;
  std::vector<CollectiveOpRow> ops = {};
};

/// One process of a job.
struct RankRow {
  int rank = 0;
  std::size_t record = 0;  ///< index of its record
  std::size_t steps = 0;   ///< number of steps by our rule
  double step_ns = 0.0;    ///< mean length of a step
  StepOverlap plugin_overlap = {};
  StepOverlap overlap = {};
  std::optional<double> utilization = {};  ///< mean over its devices, ours
  std::optional<Synchronization> plugin_synchronization = {};
  /// Number of collective kernels found on every rank, over all calls, by our rule; next the time
  /// that this rank waited in them for others.
  std::int64_t matched_collectives = 0;
  std::int64_t collective_ns = 0;
  std::int64_t wait_ns = 0;
};

/// Several processes of one job.
struct TraceJob {
  std::vector<RankRow> ranks = {};             ///< sorted by rank
  std::string no_plugin_synchronization = {};  ///< reason why it is missing; empty: it is known
  std::int64_t unmatched_collectives = 0;      ///< kernels that differ in number between ranks
  /// Largest over mean, minus 1, of the ranks' computation per step (kernels, overlapped or not):
  /// 0 is balanced. nullopt: no computation.
  std::optional<double> load_imbalance = {};
};

[[nodiscard]] std::span<const Field> fields_of(For<CollectiveOpRow>);
[[nodiscard]] std::span<const Field> fields_of(For<Synchronization>);
[[nodiscard]] std::span<const Field> fields_of(For<RankRow>);
[[nodiscard]] std::span<const Field> fields_of(For<TraceJob>);

/// Analyses the traces of one job, one per rank. Ranks come from the traces; a trace without a
/// rank, or with one that is already used, gets the next free number.
[[nodiscard]] TraceJob analyze_job(std::span<const record::Record> records);

/// Analyses several records as the ranks of one job if all of them are traces; else nullopt.
[[nodiscard]] std::optional<TraceJob> job_of(std::span<const record::Record> records);

}  // namespace rooflab::trace
