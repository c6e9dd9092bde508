// A run reaches p % with its first validated epoch of accuracy >= p / 100, and the time is that
// epoch's elapsed_s: a target's own rule, so that both agree where the target is a whole per cent.
// An accuracy is correct / images, and of 57 % that is the same double as 57 / 100; floor(100 a) it
// cannot be, as 100 times that double lies below 57.
//
// Two things that the times are not. A schedule aims at its own last epoch: what a run needs for
// 88 % on its way to 91 % is more than one made for 88 % would. And where not all reached p %, the
// mean is that of those that did.

#include "accuracy_milestones.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rooflab/training/run_figures.hpp"

namespace rooflab::training {
namespace {

using record::EpochResult;
using record::TrainingRun;

constexpr int rows = 5;  ///< from the highest down

/// The highest that it reaches.
int whole_percent(double accuracy) {
  const int nearest = static_cast<int>(std::round(std::clamp(accuracy, 0.0, 1.0) * 100.0));
  return accuracy >= nearest / 100.0 ? nearest : nearest - 1;
}

/// 0 where nothing was validated.
int highest_percent(const TrainingRun& run) {
  int highest = 0;
  for (const EpochResult& epoch : run.epochs) {
    if (epoch.accuracy) highest = std::max(highest, whole_percent(*epoch.accuracy));
  }
  return highest;
}

/// `percent` is one that some run reached.
AccuracyMilestone milestone_at(int percent, const std::vector<const TrainingRun*>& runs) {
  std::vector<double> times;
  std::vector<double> epochs;
  for (const TrainingRun* run : runs) {
    const EpochResult* first = first_at(*run, percent / 100.0);
    if (first == nullptr) continue;
    times.push_back(first->elapsed_s);
    epochs.push_back(static_cast<double>(first->epoch + 1));
  }
  return {.percent = percent,
          .reached = times.size(),
          .time_s = run_figure(std::move(times)).value(),
          .epochs = run_figure(std::move(epochs)).value()};
}

}  // namespace

std::vector<AccuracyMilestone> accuracy_milestones(const TrainingGroup& group,
                                                   std::span<const TrainingRun> runs) {
  const int limit = group.target ? whole_percent(*group.target) : 100;
  std::vector<const TrainingRun*> complete;
  int highest = 0;
  int of_all = limit;
  for (const std::size_t place : group.runs) {
    const TrainingRun& run = runs[place];
    if (!is_complete(run)) continue;
    complete.push_back(&run);
    const int percent = std::min(highest_percent(run), limit);
    highest = std::max(highest, percent);
    of_all = std::min(of_all, percent);
  }
  std::vector<AccuracyMilestone> milestones;
  const int below = std::max(highest - rows, 0);
  for (int percent = highest; percent > below; --percent) {
    milestones.push_back(milestone_at(percent, complete));
  }
  if (of_all > 0 && of_all <= below) milestones.push_back(milestone_at(of_all, complete));
  return milestones;
}

const AccuracyMilestone* TrainingGroup::reached_by_all() const {
  const auto found = std::ranges::find(milestones, complete, &AccuracyMilestone::reached);
  return found == milestones.end() ? nullptr : &*found;
}

}  // namespace rooflab::training
