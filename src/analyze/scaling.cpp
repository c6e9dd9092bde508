// Data-parallel runs beside one another.
//
// Which runs may be compared follows from their batches. Runs of one network, variant, rewrite,
// precision, optimizer and kind of data with equal batches a device are weak scaling, with equal
// global batches strong scaling. What one device does is in both. A run that shares neither with
// another number of devices is put beside the others all the same, without a speed-up: its work is
// another.
//
// Speed-up is images a second over those of one device in the same series; for strong scaling that
// is the ratio of times. The slowest rank's median step counts for all: the others wait for it.
//
// Hidden communication is, of the time in kernels of the communication library, the part with
// another kernel beside. Without kernels it is derived: what the step takes longer than without the
// exchange is exposed, so hidden = 1 - (step - alone) / exchange, held between 0 and 1. That counts
// the copies into and out of the buckets as exposed communication.

#include "rooflab/analyze/scaling.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "rooflab/base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/record/sample_summary.hpp"
#include "scaling_findings.hpp"

namespace rooflab::analyze {
namespace {

using record::RankResult;
using record::ScaleRun;

std::optional<double> median_of(const std::vector<double>& times) {
  return times.empty() ? std::nullopt : std::optional(statistics_of(times).median);
}

/// Of the rank's own device, or the worker's on a CPU.
std::optional<double> utilization_of(const RankResult& rank) {
  for (const record::SampleSeries& series : rank.samples) {
    if (series.samples.empty() || !series.device.starts_with(rank.device.kind)) continue;
    const record::SampleSummary summary = summarize(series);
    if (summary.core_utilization) return summary.core_utilization->mean;
  }
  return std::nullopt;
}

void add_kernels(ScalingRank& row, const record::RankKernels& kernels) {
  row.busy = kernels.busy;
  row.sm_efficiency = kernels.sm_efficiency;
  row.occupancy = kernels.occupancy;
  row.exchange_s = kernels.communication_s;
  if (kernels.kernel_s > 0.0) {
    row.communication_of_kernels = kernels.communication_s / kernels.kernel_s;
  }
  if (kernels.step_s > 0.0) row.communication_of_step = kernels.communication_s / kernels.step_s;
  if (kernels.communication_s > 0.0) row.hidden = kernels.hidden_s / kernels.communication_s;
}

ScalingRank rank_of(const RankResult& rank) {
  ScalingRank row;
  row.rank = rank.rank;
  row.host = rank.host;
  row.device = rank.device.kind == "cpu" || rank.device.kind.empty()
                   ? rank.device.kind
                   : format("{}:{}", rank.device.kind, rank.device.index);
  row.device_name = rank.device.name;
  row.step_s = median_of(rank.steps_s);
  row.message = rank.message;
  row.utilization = utilization_of(rank);
  if (row.step_s && rank.alone_s) row.exposed_s = std::max(0.0, *row.step_s - *rank.alone_s);
  if (rank.kernels) {
    add_kernels(row, *rank.kernels);
    return row;
  }
  row.exchange_s = rank.exchange_s;
  if (!row.step_s || *row.step_s <= 0.0 || !rank.exchange_s || *rank.exchange_s <= 0.0) return row;
  row.communication_of_step = *rank.exchange_s / *row.step_s;
  if (!row.exposed_s) return row;
  row.hidden = std::clamp(1.0 - *row.exposed_s / *rank.exchange_s, 0.0, 1.0);
  row.hidden_derived = true;
  return row;
}

/// Of what a rank does by itself; see the head of the header's ScalingRow::imbalance.
std::optional<double> imbalance_of(const std::vector<RankResult>& ranks) {
  std::vector<double> times;
  const bool alone =
      std::ranges::all_of(ranks, [](const RankResult& rank) { return rank.alone_s.has_value(); });
  for (const RankResult& rank : ranks) {
    const std::optional<double> time = alone ? rank.alone_s : median_of(rank.steps_s);
    if (time) times.push_back(*time);
  }
  if (times.size() < 2) return std::nullopt;
  const Statistics statistics = statistics_of(times);
  if (statistics.mean <= 0.0) return std::nullopt;
  return statistics.max / statistics.mean - 1.0;
}

ScalingRow row_of(const ScaleRun& run, const std::optional<predict::ScaledStep>& predicted) {
  ScalingRow row;
  row.run = run;
  row.gpus = run.ranks_wanted;
  row.batch_per_gpu = run.identity.batch;
  row.global_batch = run.global_batch();
  row.step_s = run.step_s();
  row.images_per_s = run.images_per_s();
  row.predicted = predicted;
  if (row.step_s && predicted && predicted->time.value > 0.0) {
    row.predicted_ratio = *row.step_s / predicted->time.value;
  }
  row.imbalance = imbalance_of(run.ranks);
  for (const RankResult& rank : run.ranks) row.ranks.push_back(rank_of(rank));
  const auto slowest = std::ranges::max_element(
      row.ranks, {}, [](const ScalingRank& rank) { return rank.step_s.value_or(-1.0); });
  if (slowest == row.ranks.end() || !slowest->step_s) return row;
  slowest->slowest = true;
  if (row.gpus == 1) return row;
  row.communication_of_step = slowest->communication_of_step;
  row.hidden = slowest->hidden;
  row.hidden_derived = slowest->hidden_derived;
  return row;
}

/// What must be equal for a comparison; batches come on top.
using Key =
    std::tuple<std::string, std::string, std::string, Precision, std::string, std::string, bool>;
Key key_of(const ScaleRun& run) {
  const record::CaseIdentity& identity = run.identity;
  return {identity.model,     identity.variant, identity.rewrite,      identity.precision,
          identity.optimizer, identity.data,    identity.channels_last};
}

/// Indices of runs that keep the same batch, at least two numbers of devices.
using Members = std::vector<std::size_t>;

bool varies(const std::vector<ScaleRun>& runs, const Members& members) {
  std::set<int> numbers;
  for (const std::size_t i : members) numbers.insert(runs[i].ranks_wanted);
  return numbers.size() > 1;
}

struct Group {
  Scaling scaling = Scaling::weak;
  std::int64_t batch = 0;
  Members members;
};

std::vector<Group> groups_of(const std::vector<ScaleRun>& runs, const Members& alike) {
  std::map<std::int64_t, Members> by_local;
  std::map<std::int64_t, Members> by_global;
  for (const std::size_t i : alike) {
    by_local[runs[i].identity.batch].push_back(i);
    by_global[runs[i].global_batch()].push_back(i);
  }
  std::vector<Group> groups;
  std::set<std::size_t> placed;
  for (const auto& [batch, members] : by_local) {
    if (!varies(runs, members)) continue;
    groups.push_back({Scaling::weak, batch, members});
    placed.insert(members.begin(), members.end());
  }
  const std::set<std::size_t> weak = placed;
  for (const auto& [batch, members] : by_global) {
    // Weak series of several batches have equal global ones by chance.
    const bool new_ones =
        std::ranges::any_of(members, [&weak](std::size_t i) { return !weak.contains(i); });
    if (!new_ones || !varies(runs, members)) continue;
    groups.push_back({Scaling::strong, batch, members});
    placed.insert(members.begin(), members.end());
  }
  Members rest;
  for (const std::size_t i : alike) {
    if (!placed.contains(i)) rest.push_back(i);
  }
  if (rest.empty()) return groups;
  std::set<std::int64_t> batches;
  for (const std::size_t i : rest) batches.insert(runs[i].identity.batch);
  // Alone with its batch there is nothing that would be mixed.
  const bool one = batches.size() == 1;
  groups.push_back({one ? Scaling::weak : Scaling::mixed, one ? *batches.begin() : 0, rest});
  return groups;
}

void add_speedups(ScalingSeries& series) {
  if (series.scaling == Scaling::mixed) return;
  const auto one = std::ranges::find(series.rows, 1, &ScalingRow::gpus);
  if (one == series.rows.end()) return;
  for (ScalingRow& row : series.rows) {
    if (row.images_per_s && one->images_per_s && *one->images_per_s > 0.0) {
      row.speedup = *row.images_per_s / *one->images_per_s;
      row.efficiency = *row.speedup / row.gpus;
    }
    if (row.predicted && one->predicted && one->predicted->images_per_s > 0.0) {
      row.predicted_speedup = row.predicted->images_per_s / one->predicted->images_per_s;
    }
  }
}

}  // namespace

ScalingStudy scaling_study(std::vector<ScaleRun> runs,
                           std::vector<std::optional<predict::ScaledStep>> predictions) {
  predictions.resize(runs.size());
  std::vector<Key> keys;  // in the order of their first runs
  std::map<Key, Members> alike;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Key key = key_of(runs[i]);
    if (!alike.contains(key)) keys.push_back(key);
    alike[key].push_back(i);
  }
  ScalingStudy study;
  for (const Key& key : keys) {
    for (const Group& group : groups_of(runs, alike.at(key))) {
      ScalingSeries series;
      const record::CaseIdentity& identity = runs[group.members.front()].identity;
      series.model = identity.model;
      series.variant = identity.variant;
      series.precision = std::string(name_of(identity.precision));
      series.scaling = group.scaling;
      series.batch = group.batch;
      for (const std::size_t i : group.members) {
        series.rows.push_back(row_of(runs[i], predictions[i]));
        if (series.backend.empty()) series.backend = runs[i].backend;
      }
      std::ranges::stable_sort(series.rows, {}, &ScalingRow::gpus);
      add_speedups(series);
      series.findings = findings_of(series);
      study.series.push_back(std::move(series));
    }
  }
  return study;
}

}  // namespace rooflab::analyze
