// Sentences about a series, each from figures of its rows. Thresholds say what is worth a sentence,
// not what is good: 5 % between ranks, 5 % of a step in exposed communication, 90 % of efficiency.

#include "scaling_findings.hpp"

#include <algorithm>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

constexpr double worth_saying = 0.05;
constexpr double good_efficiency = 0.9;
constexpr double busy_enough = 0.85;

std::string gpus(int count) { return count == 1 ? "1 device" : format("{} devices", count); }

/// A mixed series: which batches, and that they are no speed-up.
void add_batches(const ScalingSeries& series, std::vector<std::string>& findings) {
  if (series.scaling != Scaling::mixed) return;
  std::vector<std::string> rows;
  for (const ScalingRow& row : series.rows) {
    rows.push_back(format("{} x {}", row.gpus, row.batch_per_gpu));
  }
  findings.push_back(
      format("The batch changes between the rows ({}), a device's and the global one: their times"
             " are of different work, and no speed-up is told.",
             join(rows, ", ")));
}

void add_failure(const ScalingRow& row, std::vector<std::string>& findings) {
  if (row.run.status == record::Status::ok) return;
  findings.push_back(format("On {} the run ended early ({}): {}", gpus(row.gpus),
                            name_of(row.run.status),
                            row.run.message.empty() ? "no reason was told" : row.run.message));
}

void add_slowest(const ScalingRow& row, std::vector<std::string>& findings) {
  if (!row.imbalance || *row.imbalance < worth_saying) return;
  const auto alone = [](const record::RankResult& rank) { return rank.alone_s.value_or(-1.0); };
  const bool all_alone = std::ranges::all_of(
      row.run.ranks, [](const record::RankResult& rank) { return rank.alone_s.has_value(); });
  int rank = -1;
  if (all_alone) {
    rank = std::ranges::max_element(row.run.ranks, {}, alone)->rank;
  } else {
    const auto slowest = std::ranges::find(row.ranks, true, &ScalingRank::slowest);
    if (slowest != row.ranks.end()) rank = slowest->rank;
  }
  findings.push_back(
      format("On {} rank {} is the slowest, {:.0f} % above the mean of all{}: the others wait"
             " for it.",
             gpus(row.gpus), rank, 100.0 * *row.imbalance,
             all_alone ? " in the step without exchange" : ""));
}

void add_exposed(const ScalingRow& row, std::vector<std::string>& findings) {
  const auto slowest = std::ranges::find(row.ranks, true, &ScalingRank::slowest);
  if (row.gpus == 1 || slowest == row.ranks.end() || !slowest->hidden ||
      !slowest->communication_of_step) {
    return;
  }
  const double exposed = *slowest->communication_of_step * (1.0 - *slowest->hidden);
  if (exposed < worth_saying) return;
  findings.push_back(
      format("On {} exposed communication is {:.0f} % of the step{}: {:.0f} % of it is hidden.",
             gpus(row.gpus), 100.0 * exposed, slowest->hidden_derived ? " (derived)" : "",
             100.0 * *slowest->hidden));
}

/// Devices that idle without waiting for each other wait for the host.
void add_host_bound(const ScalingRow& row, std::vector<std::string>& findings) {
  const auto slowest = std::ranges::find(row.ranks, true, &ScalingRank::slowest);
  if (slowest == row.ranks.end() || !slowest->busy || *slowest->busy >= busy_enough) return;
  findings.push_back(
      format("On {} a kernel runs {:.0f} % of the time: the host does not keep ahead, and more"
             " devices or a faster link do not help; a larger batch would.",
             gpus(row.gpus), 100.0 * *slowest->busy));
}

void add_efficiency(const ScalingSeries& series, std::vector<std::string>& findings) {
  const auto last = std::ranges::max_element(series.rows, {}, &ScalingRow::gpus);
  if (last == series.rows.end() || last->gpus == 1 || !last->speedup) return;
  findings.push_back(
      format("{} are {:.2f} times as fast as one ({} scaling, {} a device, {} in all): {:.0f} %"
             " efficiency{}.",
             gpus(last->gpus), *last->speedup, name_of(series.scaling), last->batch_per_gpu,
             last->global_batch, 100.0 * *last->efficiency,
             *last->efficiency < good_efficiency ? ", below 90 %" : ""));
}

}  // namespace

std::vector<std::string> findings_of(const ScalingSeries& series) {
  std::vector<std::string> findings;
  add_batches(series, findings);
  add_efficiency(series, findings);
  for (const ScalingRow& row : series.rows) {
    add_failure(row, findings);
    add_slowest(row, findings);
    add_exposed(row, findings);
    add_host_bound(row, findings);
  }
  return findings;
}

}  // namespace rooflab::analyze
