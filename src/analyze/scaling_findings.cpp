// Sentences about a series, each from figures of its rows. Thresholds say what is worth a sentence,
// not what is good: 5 % between ranks, 5 % of a step in exposed communication, 90 % of efficiency.

#include <algorithm>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

constexpr double worth_saying = 0.05;
constexpr double good_efficiency = 0.9;
constexpr double busy_enough = 0.85;

std::string on_devices(const ScalingRow& row) {
  return row.devices == 1 ? "On 1 device" : format("On {} devices", row.devices);
}

/// The slowest rank; nullptr where none timed a step.
const ScalingRank* slowest_of(const ScalingRow& row) {
  const auto found = std::ranges::find(row.ranks, true, &ScalingRank::slowest);
  return found == row.ranks.end() ? nullptr : &*found;
}

/// Which batches a mixed series has.
void add_batches(const ScalingSeries& series, std::vector<std::string>& findings) {
  if (series.kind != ScalingKind::mixed) return;
  std::vector<std::string> rows;
  for (const ScalingRow& row : series.rows) {
    rows.push_back(format("{} x {}", row.devices, row.batch_per_device));
  }
  findings.push_back(
      format("Both batches, a device's and the global one, differ between the rows ({}): the rows"
             " do different work: the speed-up is unknown.",
             join(rows, ", ")));
}

void add_efficiency(const ScalingSeries& series, std::vector<std::string>& findings) {
  const auto last = std::ranges::max_element(series.rows, {}, &ScalingRow::devices);
  if (last == series.rows.end() || last->devices == 1 || !last->measured) return;
  const ScalingStep& step = *last->measured;
  if (!step.speedup) return;
  findings.push_back(
      format("{} devices are {:.2f} times as fast as one ({} scaling, batch {} per device, {} in"
             " all): {:.0f} % efficiency{}.",
             last->devices, *step.speedup, name_of(series.kind), last->batch_per_device,
             last->global_batch, 100.0 * *step.efficiency,
             *step.efficiency < good_efficiency ? ", below 90 %" : ""));
}

void add_failure(const ScalingRow& row, std::vector<std::string>& findings) {
  if (!row.status || row.status == record::Status::ok) return;
  findings.push_back(format("{} the run ended early ({}): {}", on_devices(row),
                            name_of(*row.status),
                            row.message.empty() ? "no reason given" : row.message));
}

void add_slowest(const ScalingRow& row, std::vector<std::string>& findings) {
  const ScalingRank* const slowest = slowest_of(row);
  if (slowest == nullptr || !row.imbalance || *row.imbalance < worth_saying) return;
  findings.push_back(
      format("{} rank {} is the slowest: it computes {:.0f} % longer than the average, and the"
             " others wait for it.",
             on_devices(row), slowest->rank, 100.0 * *row.imbalance));
}

void add_exposed(const ScalingRow& row, std::vector<std::string>& findings) {
  if (!row.measured) return;
  const ScalingExchange& exchange = row.measured->exchange;
  const std::optional<double> exposed = exchange.exposed_share();
  if (!exposed || *exposed < worth_saying) return;
  findings.push_back(format("{} {:.0f} % of the step is communication that nothing hides{}.",
                            on_devices(row), 100.0 * *exposed,
                            exchange.hidden_derived ? " (derived)" : ""));
}

/// Devices that idle without waiting for each other wait for the host.
void add_host_bound(const ScalingRow& row, std::vector<std::string>& findings) {
  const ScalingRank* const slowest = slowest_of(row);
  if (slowest == nullptr || !slowest->busy_share || *slowest->busy_share >= busy_enough) return;
  findings.push_back(
      format("{} a kernel runs {:.0f} % of the time: the host is too slow. A larger batch helps;"
             " more devices or a faster link do not.",
             on_devices(row), 100.0 * *slowest->busy_share));
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
