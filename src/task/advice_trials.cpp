#include "advice_trials.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/training/training_statistics.hpp"
#include "run_list.hpp"
#include "system/temporary_folder.hpp"
#include "training_runs.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;
using engine::TrainingRequest;
using training::TrainingAdvice;
using training::TrainingTrial;

/// The request with the values that an advice gives.
TrainRequest advised(TrainRequest request, const TrainingAdvice& advice) {
  for (const RequestChange& change : advice.changes) {
    const std::vector<std::string> words(change.value.empty() ? 0 : 1, change.value);
    parameters_of(For<TrainRequest>{}).find(name_of(change.member))->read(&request, words);
  }
  return request;
}

/// The command line of a whole run.
std::string whole_run(TrainRequest request) {
  request.max_time.reset();
  return command_of(request, request.seed);
}

/// Short runs in folders that vanish.
std::vector<record::TrainingRun> short_runs(const TrainRequest& asked, const TrainingData& data,
                                            std::size_t count, const fs::path& worker,
                                            const Session& session) {
  const TemporaryFolder folder("try");
  TrainingRequest request = plan_runs(asked, data).front();
  request.target_accuracy.reset();
  request.request.settings.sample_period_s = 0.1;
  std::vector<TrainingRequest> requests;
  for (std::size_t i = 0; i < count; ++i) {
    request.folder = folder.file(format("run-{}", i + 1));
    requests.push_back(request);
  }
  RunList<record::TrainingRun> list = run_trainings(requests, worker, session);
  if (list.failure) throw *list.failure;
  return std::move(list.runs);
}

}  // namespace

std::vector<TrainingTrial> try_advice(TrainRequest request, const TrainingData& data,
                                      const fs::path& worker, const Session& session) {
  constexpr std::size_t runs_each = 2;
  constexpr std::size_t most_trials = 6;  // with the one as given
  constexpr double trial_s = 20.0;
  request.runs = 1;
  request.max_time = request.max_time.value_or(trial_s);

  // The first run reads the images from the disk, the later ones from memory: it is left out.
  std::vector<record::TrainingRun> runs = short_runs(request, data, runs_each + 1, worker, session);
  if (runs.size() > 1) runs.erase(runs.begin());
  std::vector<TrainingTrial> trials = {training::trial_of(runs)};
  trials.front().command = whole_run(request);
  if (runs.empty() || trials.front().samples_per_s.empty()) return trials;

  // Advice is asked for anew after each piece that helped: amp brings up channels-last.
  std::size_t best = 0;
  std::vector<TrainingAdvice> advice = training::advice_of(runs.back());
  std::vector<std::vector<RequestChange>> tried;
  while (trials.size() < most_trials && !session.should_stop()) {
    const auto next = std::ranges::find_if(advice, [&tried](const TrainingAdvice& each) {
      return !each.changes.empty() && std::ranges::find(tried, each.changes) == tried.end();
    });
    if (next == advice.end()) break;
    tried.push_back(next->changes);
    const TrainRequest changed = advised(request, *next);
    runs = short_runs(changed, data, runs_each, worker, session);
    TrainingTrial trial = training::trial_of(runs);
    trial.command = whole_run(changed);
    trial.advice = *next;
    trial.kept = training::is_faster(trial, trials[best]);
    trials.push_back(std::move(trial));
    if (!trials.back().kept) continue;
    best = trials.size() - 1;
    request = changed;
    advice = training::advice_of(runs.back());
  }
  return trials;
}

}  // namespace rooflab::task
