// Data-parallel runs compared with each other.
//
// Which runs may be compared follows from their batches. Runs of one network, variant, rewrite,
// precision, optimizer and kind of data with equal batches a device are weak scaling, with equal
// global batches strong scaling. What one device does is in both. A run that shares neither with
// another number of devices is listed with the others, but without a speed-up.
//
// Speed-up is samples per second over those of one device in the same series; for strong scaling
// that is the ratio of times. A run's step is the longest of its ranks' median steps: the others
// wait.
//
// The slowest rank is the one that needs the longest for its own work. With the exchange all ranks
// wait for it and their steps are alike, so its own time is the step without exchange where that
// was timed, else the step.
//
// Hidden communication is, of the time in kernels of the communication library, the part during
// which another kernel runs. Without kernels it is derived: what the step takes longer than without
// the exchange is exposed, so hidden = 1 - (step - alone) / exchange, held between 0 and 1. That
// counts the copies into and out of the buckets as exposed communication.

#include "rooflab/analyze/scaling.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/sample.hpp"

namespace rooflab::analyze {
namespace {

using predict::DataParallelStep;
using record::RankResult;
using record::ScaleRun;

/// The figure of the rank's own device, or of the worker on a CPU.
std::optional<double> utilization_of(const RankResult& rank) {
  for (const record::SampleSeries& series : rank.samples) {
    if (series.samples.empty() || !series.device.starts_with(rank.device.kind)) continue;
    const record::SampleSummary summary = summarize(series);
    if (summary.core_utilization) return summary.core_utilization->mean;
  }
  return std::nullopt;
}

ScalingExchange exchange_of(const RankResult& rank) {
  ScalingExchange exchange;
  exchange.alone_s = rank.alone_s;
  if (rank.kernels) {
    exchange.communication_s = rank.kernels->communication_s;
    exchange.communication_share = quotient(rank.kernels->communication_s, rank.kernels->step_s);
    exchange.hidden_share = quotient(rank.kernels->hidden_s, rank.kernels->communication_s);
    return exchange;
  }
  const std::optional<double> step_s = median_of(rank.steps_s);
  exchange.communication_s = rank.exchange_s;
  if (rank.exchange_s > 0.0) exchange.communication_share = quotient(rank.exchange_s, step_s);
  if (!exchange.communication_share || !rank.alone_s) return exchange;
  const double exposed_s = *step_s - *rank.alone_s;
  exchange.hidden_share = std::clamp(1.0 - exposed_s / *rank.exchange_s, 0.0, 1.0);
  exchange.hidden_derived = true;
  return exchange;
}

/// The most that the samples saw on the device.
std::optional<Bytes> device_used_of(const RankResult& rank) {
  std::optional<Bytes> most;
  for (const record::SampleSeries& series : rank.samples) {
    for (const record::Sample& sample : series.samples) {
      if (!sample.memory_used_bytes) continue;
      most = std::max(most.value_or(Bytes(0)), Bytes(*sample.memory_used_bytes));
    }
  }
  return most;
}

/// Puts the ranks' figures together. What a rank does not tell has no sum. What is used on a device
/// is that of all processes there, so a device that ranks share counts once.
void add_memory(const std::vector<ScalingRank>& ranks, ScalingStep& step) {
  for (const auto figure : {&ScalingMemory::allocated_peak, &ScalingMemory::reserved_peak,
                            &ScalingMemory::device_used}) {
    Bytes sum;
    bool complete = !ranks.empty();
    std::set<std::pair<std::string, std::string>> devices;
    for (const ScalingRank& rank : ranks) {
      const bool again = !devices.emplace(rank.host, rank.device).second;
      if (again && figure == &ScalingMemory::device_used) continue;
      const std::optional<Bytes>& own = rank.memory.*figure;
      complete = complete && own;
      if (!own) continue;
      sum += *own;
      std::optional<Bytes>& largest = step.rank_memory.*figure;
      largest = std::max(largest.value_or(Bytes(0)), *own);
    }
    if (complete) step.all_memory.*figure = sum;
  }
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
  row.utilization = utilization_of(rank);
  if (rank.kernels) {
    row.busy_share = rank.kernels->busy;
    row.sm_efficiency = rank.kernels->sm_efficiency;
    row.occupancy = rank.kernels->occupancy;
    row.communication_kernel_share =
        quotient(rank.kernels->communication_s, rank.kernels->kernel_s);
  }
  row.exchange = exchange_of(rank);
  row.memory = {rank.allocated_peak, rank.reserved_peak, device_used_of(rank)};
  row.message = rank.message;
  return row;
}

/// Marks the slowest rank and says how much longer it takes than the mean.
void compare_ranks(ScalingRow& row) {
  const bool alone = std::ranges::all_of(
      row.ranks, [](const ScalingRank& rank) { return rank.exchange.alone_s.has_value(); });
  std::vector<double> times;
  ScalingRank* slowest = nullptr;
  std::pair<double, double> longest;  // of two that need as long, the one whose step is longer
  for (ScalingRank& rank : row.ranks) {
    const std::optional<double> own_s = alone ? rank.exchange.alone_s : rank.step_s;
    if (!own_s || !rank.step_s) continue;
    times.push_back(*own_s);
    const std::pair time(*own_s, *rank.step_s);
    if (slowest == nullptr || time > longest) {
      slowest = &rank;
      longest = time;
    }
  }
  if (slowest == nullptr) return;
  slowest->slowest = true;
  if (row.devices > 1 && row.measured) row.measured->exchange = slowest->exchange;
  if (times.size() < 2) return;
  const Statistics statistics = statistics_of(times);
  if (statistics.mean > 0.0) row.imbalance = statistics.max / statistics.mean - 1.0;
}

ScalingRow row_of(const DataParallelStep& step) {
  const double communication_s = step.communication.value;
  ScalingStep predicted{
      .step_s = step.time.value,
      .samples_per_s = step.samples_per_s,
      .exchange = {.alone_s = step.compute.value,
                   .communication_s = communication_s,
                   .communication_share = quotient(communication_s, step.time.value),
                   .hidden_share = quotient(step.hidden.value, communication_s)},
      .slowdown = step.slowdown,
      .all_reduce_slowdown = step.all_reduce_slowdown};
  if (step.low < step.high) {
    predicted.step_low_s = step.low.value;
    predicted.step_high_s = step.high.value;
  }
  for (const double bytes : step.bucket_bytes) {
    predicted.bucket_bytes.push_back(static_cast<std::int64_t>(bytes));
  }
  const predict::MemoryEstimate& memory = step.memory;
  predicted.memory_parts = memory;
  if (step.fit) predicted.verdict = step.fit->verdict;
  predicted.rank_memory = {memory.allocated_peak, memory.reserved, memory.total};
  predicted.all_memory = {memory.allocated_peak * step.devices, memory.reserved * step.devices,
                          memory.total * step.devices};
  return {.devices = step.devices,
          .batch_per_device = step.batch_per_device,
          .global_batch = step.global_batch,
          .predicted = std::move(predicted)};
}

ScalingRow row_of(const ScaleRun& run, const std::optional<RunPrediction>& prediction) {
  ScalingRow row = prediction ? row_of(prediction->step) : ScalingRow();
  row.devices = run.ranks_wanted;
  row.batch_per_device = run.identity.batch;
  row.global_batch = run.global_batch();
  row.status = run.status;
  row.message = run.message;
  row.warnings = run.warnings;
  row.command_line = run.identity.command;
  for (const RankResult& rank : run.ranks) row.ranks.push_back(rank_of(rank));
  if (const std::optional<double> step_s = run.step_s()) {
    row.measured = ScalingStep{
        .step_s = step_s, .samples_per_s = run.samples_per_s(), .bucket_bytes = run.bucket_bytes};
    add_memory(row.ranks, *row.measured);
    if (row.predicted) row.measured_over_predicted = quotient(step_s, row.predicted->step_s);
  }
  compare_ranks(row);
  return row;
}

std::string device_of(const ScaleRun& run) {
  return run.ranks.empty() ? run.environment.device.name : run.ranks.front().device.name;
}

/// What must be equal for a comparison; batches come on top.
auto key_of(const ScaleRun& run) {
  const record::CaseIdentity& identity = run.identity;
  // Not the device's name: a run may have ended before any rank said it.
  const std::string kind = identity.device.substr(0, identity.device.find(':'));
  return std::tuple(identity.model, identity.variant, identity.rewrite, identity.precision,
                    identity.optimizer, identity.data, identity.channels_last, kind);
}

/// Indices of runs that keep the same batch, at least two numbers of devices.
using Members = std::vector<std::size_t>;

struct Group {
  ScalingKind kind = ScalingKind::weak;
  std::optional<std::int64_t> batch;
  Members members;
};

std::vector<Group> groups_of(std::span<const ScaleRun> runs, const Members& alike) {
  std::vector<Group> groups;
  std::set<std::size_t> placed;
  const auto place = [&](ScalingKind kind, auto batch_of) {
    std::map<std::int64_t, Members> by_batch;
    for (const std::size_t i : alike) by_batch[batch_of(runs[i])].push_back(i);
    const std::set<std::size_t> before = placed;
    for (const auto& [batch, members] : by_batch) {
      const int first = runs[members.front()].ranks_wanted;
      const bool varies = std::ranges::any_of(
          members, [&](std::size_t i) { return runs[i].ranks_wanted != first; });
      // Weak series of several batches have equal global ones by chance.
      const bool known =
          std::ranges::all_of(members, [&](std::size_t i) { return before.contains(i); });
      if (!varies || known) continue;
      groups.push_back({kind, batch, members});
      placed.insert(members.begin(), members.end());
    }
  };
  place(ScalingKind::weak, [](const ScaleRun& run) { return run.identity.batch; });
  place(ScalingKind::strong, [](const ScaleRun& run) { return run.global_batch(); });
  Group rest{.members = alike};
  std::erase_if(rest.members, [&](std::size_t i) { return placed.contains(i); });
  if (rest.members.empty()) return groups;
  // With one batch alone nothing is mixed.
  rest.batch = runs[rest.members.front()].identity.batch;
  if (!std::ranges::all_of(rest.members,
                           [&](std::size_t i) { return runs[i].identity.batch == rest.batch; })) {
    rest.kind = ScalingKind::mixed;
    rest.batch.reset();
  }
  groups.push_back(std::move(rest));
  return groups;
}

/// Speed-ups of all measured, or of all predicted, steps against `one`.
void add_speedups(std::vector<ScalingRow>& rows, std::optional<ScalingStep> ScalingRow::*which,
                  std::optional<double> samples_per_s_of_one) {
  for (ScalingRow& row : rows) {
    std::optional<ScalingStep>& step = row.*which;
    if (!step) continue;
    step->speedup = quotient(step->samples_per_s, samples_per_s_of_one);
    step->efficiency = quotient(step->speedup, row.devices);
  }
}

void add_speedups(ScalingSeries& series) {
  for (const auto which : {&ScalingRow::measured, &ScalingRow::predicted}) {
    const auto one = std::ranges::find_if(
        series.rows, [which](const ScalingRow& row) { return row.devices == 1 && row.*which; });
    if (one == series.rows.end()) continue;
    const ScalingStep step = *((*one).*which);
    if (which == &ScalingRow::predicted) series.basis->one_device_step_s = step.step_s;
    add_speedups(series.rows, which, step.samples_per_s);
  }
}

ScalingSeries series_of(const Group& group, std::span<const ScaleRun> runs,
                        const std::vector<std::optional<RunPrediction>>& predictions) {
  const record::CaseIdentity& identity = runs[group.members.front()].identity;
  ScalingSeries series;
  series.model = identity.model;
  series.variant = identity.variant;
  series.precision = identity.precision;
  series.kind = group.kind;
  series.batch = group.batch;
  for (const std::size_t i : group.members) {
    series.rows.push_back(row_of(runs[i], predictions[i]));
    if (series.backend.empty()) series.backend = runs[i].backend;
    if (series.device.empty()) series.device = device_of(runs[i]);
    if (!series.basis && predictions[i]) series.basis = predictions[i]->basis;
  }
  std::ranges::stable_sort(series.rows, {}, &ScalingRow::devices);
  if (series.kind != ScalingKind::mixed) add_speedups(series);
  return series;
}

}  // namespace

std::optional<Bytes> ScalingMemory::most() const {
  if (device_used) return device_used;
  return reserved_peak ? reserved_peak : allocated_peak;
}

std::optional<Bytes> ScalingRow::replicated_memory() const {
  if (!predicted || !predicted->memory_parts) return std::nullopt;
  const predict::MemoryEstimate& parts = *predicted->memory_parts;
  return parts.parameters + parts.buffers + parts.gradients + parts.optimizer +
         parts.exchange.value_or(Bytes(0)) + parts.context.value_or(Bytes(0));
}

std::optional<double> ScalingExchange::exposed_share() const {
  if (!communication_share || !hidden_share) return std::nullopt;
  return *communication_share * (1.0 - *hidden_share);
}

ScalingStep ScalingRow::step() const {
  return measured ? *measured : predicted.value_or(ScalingStep());
}

std::optional<double> ScalingRow::predicted_speedup() const {
  return measured && predicted ? predicted->speedup : std::nullopt;
}

bool ScalingSeries::is_predicted_alone() const {
  return std::ranges::none_of(rows, [](const ScalingRow& row) { return row.status.has_value(); });
}

Scaling scaling_of(std::span<const ScaleRun> runs,
                   std::vector<std::optional<RunPrediction>> predictions) {
  predictions.resize(runs.size());
  std::vector<Members> alike;  // in the order of their first runs
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto own = std::ranges::find(alike, key_of(runs[i]), [&](const Members& members) {
      return key_of(runs[members.front()]);
    });
    (own == alike.end() ? alike.emplace_back() : *own).push_back(i);
  }
  Scaling scaling;
  for (const Members& members : alike) {
    for (const Group& group : groups_of(runs, members)) {
      scaling.series.push_back(series_of(group, runs, predictions));
    }
  }
  return scaling;
}

std::vector<ScalingRow> predicted_rows(const DataParallelStep& one,
                                       std::span<const DataParallelStep> steps) {
  std::vector<ScalingRow> rows;
  for (const DataParallelStep& step : steps) rows.push_back(row_of(step));
  add_speedups(rows, &ScalingRow::predicted, one.samples_per_s);
  return rows;
}

ScalingBasis scaling_basis(PredictionModel model, const predict::LinkModel& link,
                           predict::AllReduce all_reduce) {
  return {.model = model,
          .link = link.name(),
          .link_bytes_per_s = link.bandwidth(),
          .link_latency_s = link.latency_s(),
          .all_reduce = all_reduce};
}

std::optional<RunPrediction> prediction_of(const ScaleRun& run, const CalibratedModel& model,
                                           const predict::LinkModel& link,
                                           predict::AllReduce all_reduce) {
  const record::CaseIdentity& identity = run.identity;
  if (identity.graph.empty() || identity.phase != Phase::training) return std::nullopt;
  const schedule::Schedule schedule = schedule::lower(
      graph::parse_text(identity.graph, "the run's network '" + identity.model + "'"),
      lowering_of(identity));
  if (!model.times.probed() && !predict::limit_of(schedule, model.times.target()).time) {
    return std::nullopt;  // nothing to carry over by
  }
  if (predict::gradients_of(schedule).empty()) return std::nullopt;
  if (!cost::coverage_of(schedule).time) return std::nullopt;
  return RunPrediction{
      predict::predict_data_parallel_step(schedule, predicted_step(schedule, model), model.times,
                                          link, run.ranks_wanted, all_reduce),
      scaling_basis(PredictionModel::calibrated, link, all_reduce)};
}

}  // namespace rooflab::analyze
