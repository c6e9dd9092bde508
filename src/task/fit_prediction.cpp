#include "fit_prediction.hpp"

#include <algorithm>
#include <array>

#include "rooflab/graph/graph.hpp"
#include "task_notes.hpp"

namespace rooflab::task {

using analyze::FitCircumstance;
using analyze::FitPoint;
using analyze::FitResult;
using predict::FrontierPoint;
using predict::Verdict;

FitResult FitPrediction::result() {
  FitResult result = head();
  const auto refused = [&](const std::vector<std::int64_t>& counts) {
    if (judgement_of(counts).memory.counted) return false;
    result.uncounted = analyze::count_network(network_.schedule_of(counts)).uncounted;
    largest_.clear();
    return true;
  };
  if (refused(network_.least())) return result;
  largest_ = frontier_of(Verdict::risky);
  // A larger step may have ops in it that count for nothing in a small one.
  for (const FrontierPoint& point : largest_) {
    if (!point.counts.empty() && refused(point.counts)) return result;
  }
  expected_ =
      network_.frontier([this](FitCounts counts) { return runs(network_.schedule_of(counts)); },
                        largest_, std::nullopt, predict::Boundary::ragged);
  for (const FrontierPoint& point : largest_) result.points.push_back(point_of(point));
  add_verdicts(result.points);

  if (!largest_.empty()) {
    const FitPoint& asked = result.points.front();
    result.circumstances.push_back({.circumstance = "as asked for",
                                    .counts = asked.counts,
                                    .expected = asked.expected,
                                    .end_of_range = asked.end_of_range,
                                    .memory = asked.memory});
  }
  for (const Circumstance& each : other_circumstances()) {
    FitCircumstance found = boundary_in(each);
    // The same step that keeps more does not run where the one that was asked for does not.
    if (each.loop.keeps_results) {
      found.expected = std::min(found.expected, result.circumstances.front().expected);
    }
    result.circumstances.push_back(std::move(found));
  }
  add_notes(result);
  return result;
}

/// The result of what was asked, without an answer.
FitResult FitPrediction::head() const {
  const LoadedModel first = network_.load(network_.least());
  const bool is_chain = !request_.network.layer.empty();
  const schedule::LoweringOptions lowering = request_.network.lowering();
  FitResult result;
  result.model = is_chain ? "chain" : first.name;
  result.device = device_.name;
  result.memory = device_.memory;
  result.limited = request_.target.memory_limit.has_value();
  result.phase = lowering.phase;
  result.precision = first.precision(lowering);
  result.prediction = device_.predicts_time() ? "predicted" : "limit";
  result.names = network_.names();
  result.notes = first.notes;
  if (lowering.channels_last) result.notes.push_back({says.counted_channels_last});
  request_.target.basis.check_use(device_.predicts_time());
  if (const std::string& host = request_.target.basis.issued_by; !host.empty()) {
    result.notes.push_back({says.step_issued_by, {host}});
  }
  return result;
}

/// With room for everything.
FitPrediction::Judgement FitPrediction::judged(const schedule::Schedule& schedule,
                                               predict::StepLoop loop) const {
  const predict::LibraryMemory library = device_.library(schedule);
  predict::MemoryEstimate memory = predict::estimate_memory(schedule, loop, &library);
  // What is not counted is asked about where an answer is made.
  const auto fit = predict::fit(memory, device_.memory);
  return {std::move(memory), fit ? fit->verdict : Verdict::risky};
}

const FitPrediction::Judgement& FitPrediction::judgement_of(FitCounts counts) {
  const std::vector<std::int64_t> key(counts.begin(), counts.end());
  const auto known = judgements_.find(key);
  if (known != judgements_.end()) return known->second;
  return judgements_.emplace(key, judged(network_.schedule_of(counts))).first->second;
}

/// Whether such steps are expected to end within the device's memory.
bool FitPrediction::runs(const schedule::Schedule& schedule, predict::StepLoop loop) const {
  const predict::LibraryMemory library = device_.library(schedule);
  return predict::memory_within(schedule, device_.memory, loop, &library).has_value();
}

/// The largest counts whose verdict is at least as good. The least total only grows; all else may
/// fall where a library takes another algorithm.
std::vector<FrontierPoint> FitPrediction::frontier_of(Verdict verdict) {
  const auto holds = [&](FitCounts counts) { return judgement_of(counts).verdict <= verdict; };
  if (verdict == Verdict::risky) return network_.frontier(holds, {}, start());
  return network_.frontier(holds, largest_, std::nullopt, predict::Boundary::ragged);
}

/// Every try lowers the network anew.
std::optional<predict::SearchStart> FitPrediction::start() {
  if (network_.ranges().size() != 1) return std::nullopt;
  return predict::proportional_start(
      network_.ranges().front(),
      [&](std::int64_t count) -> std::optional<double> {
        return judgement_of(std::array{count}).memory.least_total.as_double();
      },
      device_.memory.as_double());
}

/// What `varied` names grown by one more.
std::vector<std::int64_t> FitPrediction::one_more(const FrontierPoint& found) const {
  std::vector<std::int64_t> counts = found.counts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string& name = network_.names()[i];
    const bool grows =
        found.varied == "together" || found.varied == name || found.varied.starts_with(name + " ");
    if (grows) ++counts[i];
  }
  return counts;
}

FitPoint FitPrediction::point_of(const FrontierPoint& found) {
  FitPoint point;
  point.varied = found.varied;
  point.counts = found.counts;
  point.end_of_range = found.end_of_range;
  if (point.counts.empty()) return point;
  point.memory = judgement_of(point.counts).memory;
  if (!point.end_of_range) {
    point.beyond = one_more(found);
    point.beyond_memory = judgement_of(point.beyond).memory;
  }
  add_step(point);
  return point;
}

void FitPrediction::add_step(FitPoint& point) const {
  const schedule::Schedule schedule = network_.schedule_of(point.counts);
  if (!cost::coverage_of(schedule).time) return;
  try {
    point.step = device_.step_time(schedule);
    if (device_.predicts_time()) {
      point.samples_per_s = network_.samples_per_s(
          point.counts, schedule.lives.empty() ? std::nullopt : schedule.graph.samples,
          point.step->value);
    }
  } catch (const Error& error) {  // memory is what was asked for
    if (!error.is_of_input()) throw;
  }
}

void FitPrediction::add_verdicts(std::vector<FitPoint>& points) {
  const std::vector<FrontierPoint> comfortable = frontier_of(Verdict::fits);
  const std::vector<FrontierPoint> likely = frontier_of(Verdict::likely);
  for (FitPoint& point : points) {
    const auto same = [&point](const std::vector<FrontierPoint>& all) -> FrontierPoint {
      const auto found = std::ranges::find(all, point.varied, &FrontierPoint::varied);
      return found == all.end() ? FrontierPoint() : *found;
    };
    point.expected = same(expected_).counts;
    point.expected_further = same(expected_).further;
    point.likely = same(likely).counts;
    point.likely_further = same(likely).further;
    const FrontierPoint fits = same(comfortable);
    point.fits_further = fits.further;
    if (fits.counts.empty()) continue;
    point.comfortable = fits.counts;
    point.comfortable_end_of_range = fits.end_of_range;
    point.assumed = judgement_of(fits.counts).memory.assumed;
  }
}

std::vector<FitPrediction::Circumstance> FitPrediction::other_circumstances() const {
  const schedule::LoweringOptions asked = request_.network.lowering();
  std::vector<Circumstance> all = {
      {"results kept", asked, {predict::GradientReset::after_loss, true}}};
  const LoadedModel least = network_.load(network_.least());
  if (least.recorded) return all;  // another phase or precision is another recording
  const bool trainable = least.graph.parameter_elements() > 0;
  for (const Phase phase : {Phase::inference, Phase::forward, Phase::training}) {
    if (phase == asked.phase || (phase == Phase::training && !trainable)) continue;
    // In inference a chain takes two activations, however long it is.
    if (phase == Phase::inference && !request_.network.layer.empty()) continue;
    schedule::LoweringOptions other = asked;
    other.phase = phase;
    all.push_back({std::string(name_of(phase)), other, {}});
  }
  if (least.precision(asked) == Precision::fp32) {
    schedule::LoweringOptions other = asked;
    other.precision = Precision::fp64;
    all.push_back({std::string(name_of(Precision::fp64)), other, {}});
  }
  return all;
}

/// The largest counts, all grown together by as many; of a recorded step the first that is varied.
FitCircumstance FitPrediction::boundary_in(const Circumstance& circumstance) const {
  std::vector<std::int64_t> least = network_.least();
  std::span<const predict::CountRange> ranges = network_.ranges();
  if (network_.varies_size()) {
    least.front() = ranges.front().least;
    ranges = ranges.first(1);
  }
  const auto grown = [&](std::int64_t more) {
    std::vector<std::int64_t> counts = least;
    for (std::size_t i = 0; i < ranges.size(); ++i) counts[i] += more;
    return counts;
  };
  const auto schedule_at = [&](std::int64_t more) {
    return network_.load(grown(more)).lowered(circumstance.lowering);
  };
  predict::CountRange range{.least = 0};
  for (const predict::CountRange& each : ranges) {
    if (!each.most) continue;
    const std::int64_t room = *each.most - each.least;
    range.most = std::min(range.most.value_or(room), room);
  }
  const auto search = [&](auto of, const std::vector<FrontierPoint>& near, auto holds) {
    std::optional<predict::SearchStart> start;
    if (!near.empty() && !near.front().counts.empty()) {
      const std::int64_t more = near.front().counts.front() - least.front();
      start = {.count = more, .step = std::max<std::int64_t>(1, more / 8)};
    }
    return of(range, holds, start);
  };
  const auto largest = search(predict::largest_count, largest_, [&](std::int64_t more) {
    return judged(*schedule_at(more), circumstance.loop).verdict <= Verdict::risky;
  });
  FitCircumstance result{.circumstance = circumstance.name};
  if (!largest.count) return result;
  result.counts = grown(*largest.count);
  result.end_of_range = largest.end_of_range;
  result.memory = judged(*schedule_at(*largest.count), circumstance.loop).memory;
  const auto expected = search(predict::every_count_up_to, expected_, [&](std::int64_t more) {
    return runs(*schedule_at(more), circumstance.loop);
  });
  if (expected.count) result.expected = grown(*expected.count);
  return result;
}

void FitPrediction::add_notes(FitResult& result) const {
  if (!device_.predicts_time()) {
    result.notes.push_back({says.step_is_limit, {device_.name}});
  }
  std::vector<std::string> unknown;
  for (const FitPoint& point : result.points) {
    if (!point.memory) continue;
    for (const std::string& part : point.memory->unknown) {
      if (std::ranges::find(unknown, part) == unknown.end()) unknown.push_back(part);
    }
  }
  if (unknown.empty()) return;
  result.notes.push_back({says.memory_incomplete, {device_.name, unknown}});
}

}  // namespace rooflab::task
