// Ranks and series of data-parallel runs: unbalanced_ranks, mixed_batches, scaling_efficiency,
// ended_early. exposed_communication.cpp and host_wait.cpp have the rest.
//
//   unbalanced_ranks   scaling: the slowest rank's own time over the mean of all, less 1: i. Worth:
//                      step * i / (1 + i), the step less the mean rank's.
//                      traces of a job: the largest computation of a rank in a step over the mean,
//                      less 1. Worth: that difference.
//   the others         have no worth: a reader must know them
//
// Thresholds say what is worth a sentence, not what is good. Source: docs/methods/scaling.md. When
// it is wrong: ranks that take turns in being slow are balanced by this measure.

#include <algorithm>

#include "base/format.hpp"
#include "rules.hpp"

namespace rooflab::findings {

using analyze::ScalingRow;
using analyze::ScalingSeries;

void add_unbalanced_ranks(const ScalingRow& row, FindingList& found) {
  const auto slowest = std::ranges::find(row.ranks, true, &analyze::ScalingRank::slowest);
  if (slowest == row.ranks.end() || !row.imbalance ||
      *row.imbalance < row_of(FindingKind::unbalanced_ranks).least) {
    return;
  }
  const std::optional<double> step_s = row.step().step_s;
  found.add(
      FindingKind::unbalanced_ranks, {row.devices, slowest->rank, *row.imbalance},
      step_s ? std::optional(*step_s * *row.imbalance / (1.0 + *row.imbalance)) : std::nullopt);
}

void add_unbalanced_ranks(const trace::TraceJob& job, FindingList& found) {
  if (!job.load_imbalance || *job.load_imbalance < row_of(FindingKind::unbalanced_ranks).least) {
    return;
  }
  const auto computation_ns = [](const trace::RankRow& rank) {
    return rank.overlap.computation_only_ns + rank.overlap.overlap_ns;
  };
  const auto slowest = std::ranges::max_element(job.ranks, {}, computation_ns);
  const double longest_ns = computation_ns(*slowest);
  found.add(FindingKind::unbalanced_ranks, {job.ranks.size(), slowest->rank, *job.load_imbalance},
            longest_ns * seconds_per_ns * *job.load_imbalance / (1.0 + *job.load_imbalance));
}

void add_ended_early(const ScalingRow& row, FindingList& found) {
  if (!row.status || *row.status == record::Status::ok) return;
  found.add(FindingKind::ended_early,
            {row.devices, name_of(*row.status),
             row.message.empty() ? std::string("no reason given") : row.message});
}

void add_mixed_batches(const ScalingSeries& series, FindingList& found) {
  if (series.kind != analyze::ScalingKind::mixed) return;
  std::vector<std::string> rows;
  for (const ScalingRow& row : series.rows) {
    rows.push_back(format("{} x {}", row.devices, row.batch_per_device));
  }
  found.add(FindingKind::mixed_batches, {rows});
}

void add_scaling_efficiency(const ScalingSeries& series, FindingList& found) {
  const auto last = std::ranges::max_element(series.rows, {}, &ScalingRow::devices);
  if (last == series.rows.end() || last->devices == 1 || !last->measured) return;
  const analyze::ScalingStep& step = *last->measured;
  if (!step.speedup || !step.efficiency) return;
  found.add(FindingKind::scaling_efficiency,
            {last->devices, *step.speedup, name_of(series.kind), last->batch_per_device,
             last->global_batch, *step.efficiency});
}

}  // namespace rooflab::findings
