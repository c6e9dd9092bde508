#include "train_run.hpp"

#include <algorithm>

#include "interrupt.hpp"
#include "list_progress.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/temporary_folder.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/training/run_figures.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::cli {
namespace {

namespace fs = std::filesystem;
using engine::TrainingRequest;
using record::TrainingRun;
using training::NamedTraining;
using training::TrainingConfiguration;
using training::TrainingTrial;

/// What decides a run and must not change between its beginning and its end. How fast images come
/// may.
TrainingConfiguration fixed_part(TrainingConfiguration facts) {
  for (const FigureKey key :
       std::to_array<FigureKey>({"data_workers", "epoch_images", "class_count", "train_images"})) {
    facts.erase(key.key());
  }
  return facts;
}

TrainingConfiguration configuration_of(const TrainingRequest& request) {
  TrainingRun run;
  run.identity = request.request.identity;
  run.recipe = request.recipe;
  run.target_accuracy = request.target_accuracy;
  return fixed_part(training::configuration_of(run));
}

void check_same(const TrainingRequest& request, const TrainingRun& there) {
  std::vector<std::string> differences = training::configuration_differences(
      fixed_part(training::configuration_of(there)), configuration_of(request));
  const std::uint64_t seed = request.request.settings.seed;
  if (there.seed != seed) differences.push_back(format("seed: {}, {}", there.seed, seed));
  if (differences.empty()) return;
  throw Error(ErrorKind::input,
              format("{} was trained otherwise (there, now): {}", request.folder.string(),
                     join(differences, "; ")),
              format("give its flags again ({}), or another folder", there.identity.command));
}

std::string outcome_of(const TrainingRun& run) {
  std::string text(name_of(run.status));
  if (!run.epochs.empty() && run.epochs.back().accuracy) {
    text +=
        format(", accuracy {:.4f} after {} epochs", *run.epochs.back().accuracy, run.epochs.size());
  }
  return text;
}

/// What the worker cannot know, or could not say when it died.
void complete(TrainingRun& run, const TrainingRequest& request) {
  run.identity.command = request.request.identity.command;
  if (run.environment.rooflab.empty()) run.environment.rooflab = ROOFLAB_VERSION;
}

/// In the order of their numbers: run-2 before run-10.
bool before(const fs::path& a, const fs::path& b) {
  const std::string left = a.string();
  const std::string right = b.string();
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

/// The command line of a whole run with these options.
std::string whole_run(const TrainOptions& options, const TrainingData& data) {
  return options.with({{"--max-time", ""}}).requests(data).front().request.identity.command;
}

/// Short runs in folders that vanish.
std::vector<TrainingRun> short_runs(const TrainOptions& options, const TrainingData& data,
                                    std::size_t count, const fs::path& worker,
                                    const Console& console) {
  const TemporaryFolder folder("try");
  TrainingRequest request = options.requests(data).front();
  request.target_accuracy.reset();
  request.request.settings.sample_period_s = 0.1;
  std::vector<TrainingRequest> requests;
  for (std::size_t i = 0; i < count; ++i) {
    request.folder = folder.file(format("run-{}", i + 1));
    requests.push_back(request);
  }
  std::vector<TrainingRun> runs;
  for (NamedTraining& each : run_trainings(requests, worker, console)) {
    runs.push_back(std::move(each.run));
  }
  return runs;
}

}  // namespace

void place_runs(std::vector<TrainingRequest>& requests, const fs::path& folder, bool resume) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    TrainingRequest& request = requests[i];
    request.folder = folder / format("run-{}", i + 1);
    request.resume = resume;
    const fs::path file = request.folder / "run.json";
    std::error_code status;
    if (!fs::exists(file, status)) continue;
    if (!resume) {
      throw Error(ErrorKind::usage, format("{} holds a run already", request.folder.string()),
                  "--resume leaves complete runs as they are and takes the others up; -o names"
                  " another folder");
    }
    check_same(request, load_file<record::TrainingRun>(file));
  }
}

std::vector<NamedTraining> run_trainings(const std::vector<TrainingRequest>& requests,
                                         const fs::path& worker, const Console& console) {
  std::vector<NamedTraining> result;
  ListProgress progress("run", requests.size(), console);
  engine::RunOptions run_options;
  run_options.worker = worker;
  run_options.should_stop = [] { return InterruptGuard::interrupted(); };
  run_options.on_progress = [&progress](const engine::Progress& now) {
    progress.show(now.stage, now.left_s);
  };
  for (std::size_t i = 0; i < requests.size() && !InterruptGuard::interrupted(); ++i) {
    const TrainingRequest& request = requests[i];
    std::string name = request.folder.filename().string();
    const fs::path file = request.folder / "run.json";
    std::error_code status;
    if (request.resume && fs::exists(file, status)) {
      TrainingRun there = load_file<record::TrainingRun>(file);
      if (training::is_complete(there)) {
        result.push_back({std::move(name), std::move(there)});
        continue;
      }
    }
    progress.begin(
        i, format("{}, seed {}", request.request.identity.model, request.request.settings.seed));
    TrainingRun run = engine::run_training(request, run_options);
    complete(run, request);
    progress.end(outcome_of(run));
    result.push_back({std::move(name), std::move(run)});
  }
  return result;
}

std::vector<TrainingTrial> try_advice(const TrainOptions& given, const TrainingData& data,
                                      const fs::path& worker, const Console& console) {
  constexpr std::size_t runs_each = 2;
  constexpr std::size_t most_trials = 6;  // with the one as given
  TrainOptions options = given.with({{"--runs", "1"}});
  if (!options.has_max_time()) options = options.with({{"--max-time", "20"}});

  // The first run reads the images from the disk, the later ones from memory: it is left out.
  std::vector<TrainingRun> runs = short_runs(options, data, runs_each + 1, worker, console);
  if (runs.size() > 1) runs.erase(runs.begin());
  std::vector<TrainingTrial> trials = {training::trial_of(runs)};
  trials.front().command = whole_run(options, data);
  if (runs.empty() || trials.front().samples_per_s.empty()) return trials;

  // Advice is asked for anew after each piece that helped: amp brings up channels-last.
  std::size_t best = 0;
  std::vector<training::TrainingAdvice> advice = training::advice_of(runs.back());
  std::vector<std::vector<std::pair<std::string, std::string>>> tried;
  while (trials.size() < most_trials && !InterruptGuard::interrupted()) {
    const auto next = std::ranges::find_if(advice, [&tried](const auto& each) {
      return !each.flags.empty() && std::ranges::find(tried, each.flags) == tried.end();
    });
    if (next == advice.end()) break;
    tried.push_back(next->flags);
    const TrainOptions changed = options.with(next->flags);
    runs = short_runs(changed, data, runs_each, worker, console);
    TrainingTrial trial = training::trial_of(runs);
    trial.command = whole_run(changed, data);
    trial.advice = *next;
    trial.kept = training::is_faster(trial, trials[best]);
    trials.push_back(std::move(trial));
    if (!trials.back().kept) continue;
    best = trials.size() - 1;
    options = changed;
    advice = training::advice_of(runs.back());
  }
  return trials;
}

std::vector<NamedTraining> read_runs(const std::vector<std::string>& folders) {
  std::vector<NamedTraining> result;
  for (const std::string& name : folders) {
    const fs::path folder(name);
    std::error_code status;
    if (!fs::is_directory(folder, status)) {
      throw Error(ErrorKind::input, format("there is no folder '{}'", name),
                  "--report takes the folders of train -o");
    }
    std::vector<fs::path> found;
    if (fs::exists(folder / "run.json", status)) found.push_back(folder);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (fs::exists(entry.path() / "run.json", status)) found.push_back(entry.path());
    }
    if (found.empty()) {
      throw Error(ErrorKind::input, format("no run of training lies in '{}'", name),
                  "it holds run.json, or folders run-1, run-2, ... that do");
    }
    std::ranges::sort(found, before);
    for (const fs::path& path : found) {
      result.push_back(
          {path.lexically_normal().string(), load_file<record::TrainingRun>(path / "run.json")});
    }
  }
  return result;
}

}  // namespace rooflab::cli
