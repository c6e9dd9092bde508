// Two short runs tell how much runs vary, though not well: the larger of both spreads is the
// hurdle, and a gain below it is chance for all that is known.

#include <algorithm>

#include "base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/training/training_advice.hpp"

namespace rooflab::training {
namespace {

/// 0.5 of what is half as fast again.
std::optional<double> gain_over(const TrainingTrial& before, const TrainingTrial& after) {
  const std::optional<double> ratio = quotient(after.mean(), before.mean());
  return ratio ? std::optional(*ratio - 1.0) : std::nullopt;
}

std::vector<std::string> conclusion_of(const std::vector<TrainingTrial>& trials) {
  const TrainingTrial* last = &trials.front();
  std::vector<std::string> helped;
  for (const TrainingTrial& trial : trials) {
    if (!trial.kept) continue;
    last = &trial;
    helped.push_back(trial.change());
  }
  const std::optional<double> gain = gain_over(trials.front(), *last);
  if (!gain) return {};
  if (trials.size() == 1) return {"the run gives no advice that a flag could follow"};
  if (helped.empty()) return {"nothing that was tried helped"};
  return {format("{} helped: {} samples/s before, {} after ({:+.1f} %)", join(helped, ", "),
                 plain_number(*trials.front().mean()), plain_number(*last->mean()), *gain * 100.0),
          format("faster: {}", last->command)};
}

}  // namespace

std::optional<double> TrainingTrial::mean() const {
  if (samples_per_s.empty()) return std::nullopt;
  return statistics_of(samples_per_s).mean;
}

std::optional<double> TrainingTrial::spread() const {
  if (samples_per_s.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(samples_per_s);
  return high - low;
}

std::string TrainingTrial::change() const { return advice ? advice->change() : "as given"; }

std::string TrainingTrial::verdict() const {
  if (!failure.empty()) return samples_per_s.empty() ? "failed" : "cut short";
  if (!advice) return "start";
  return kept ? "helped, kept" : "no gain beyond the spread";
}

TrainingTrial trial_of(std::span<const record::TrainingRun> runs) {
  TrainingTrial trial;
  for (const record::TrainingRun& run : runs) {
    const std::optional<double> rate = samples_per_s(run);
    if (run.status != record::Status::ok || !rate) {
      trial.failure = format("{}{}", name_of(run.status),
                             run.message.empty() ? "" : format(": {}", run.message));
      continue;
    }
    trial.samples_per_s.push_back(*rate);
    trial.wait_share = wait_share(run);
    const record::SampleSummary device = device_samples(run);
    trial.core_utilization = record::mean_of(device.core_utilization);
    trial.memory_utilization = record::mean_of(device.memory_utilization);
  }
  return trial;
}

bool is_faster(const TrainingTrial& after, const TrainingTrial& before) {
  if (!after.mean() || !after.failure.empty() || !before.mean()) return false;
  return *after.mean() - *before.mean() > std::max(*after.spread(), *before.spread());
}

TrialSummary summarize_trials(std::vector<TrainingTrial> trials) {
  TrialSummary summary{.trials = std::move(trials)};
  const TrainingTrial* before = nullptr;
  for (TrainingTrial& trial : summary.trials) {
    if (before != nullptr) trial.gain_share = gain_over(*before, trial);
    if (before == nullptr || trial.kept) before = &trial;
  }
  if (before != nullptr) summary.conclusion = conclusion_of(summary.trials);
  return summary;
}

}  // namespace rooflab::training
