#include "training_runs.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_statistics.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;
using engine::TrainingRequest;
using record::TrainingRun;
using training::NamedTraining;
using training::TrainingConfiguration;

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

}  // namespace

void place_runs(std::vector<TrainingRequest>& requests, const fs::path& folder, bool resume) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    TrainingRequest& request = requests[i];
    request.folder = folder / format("run-{}", i + 1);
    request.resume = resume;
    const fs::path file = request.folder / "run.json";
    if (!is_there(file)) continue;
    if (!resume) {
      throw Error(ErrorKind::usage, format("{} holds a run already", request.folder.string()),
                  format("{} leaves complete runs as they are and takes the others up; -o names"
                         " another folder",
                         flag_of<&TrainRequest::resume>()));
    }
    check_same(request, load_file<record::TrainingRun>(file));
  }
}

namespace {

/// The epochs until a run ended by an error, which is what the user needs to hear of.
void add_what_is_there(std::vector<TrainingRun>& runs, const fs::path& file) {
  try {
    if (is_there(file)) runs.push_back(load_file<TrainingRun>(file));
  } catch (const Error&) {
  }
}

}  // namespace

RunList<TrainingRun> run_trainings(const std::vector<TrainingRequest>& requests,
                                   const fs::path& worker, const Session& session) {
  RunList<TrainingRun> list;
  ListProgress progress("run", requests.size(), session);
  const engine::RunOptions options = progress.run_options(worker);
  for (std::size_t i = 0; i < requests.size() && !session.should_stop() && !list.failure; ++i) {
    const TrainingRequest& request = requests[i];
    const fs::path file = request.folder / "run.json";
    if (request.resume && is_there(file)) {
      TrainingRun there = load_file<TrainingRun>(file);
      if (training::is_complete(there)) {
        list.runs.push_back(std::move(there));
        continue;
      }
    }
    list.do_next([&] {
      const engine::Case& trained = request.request;
      progress.begin(i, format("{}, seed {}", trained.identity.model, trained.settings.seed));
      try {
        list.runs.push_back(engine::run_training(request, options));
      } catch (const Error&) {
        add_what_is_there(list.runs, file);
        throw;
      }
      // What the worker cannot know, or could not say when it died.
      TrainingRun& run = list.runs.back();
      run.identity.command = trained.identity.command;
      if (run.environment.rooflab.empty()) run.environment.rooflab = session.version;
      progress.end(outcome_of(run));
    });
  }
  return list;
}

std::vector<fs::path> files_of_runs(const fs::path& folder, std::string_view name) {
  std::vector<fs::path> found;
  if (is_there(folder / name)) found.push_back(folder / name);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_there(entry.path() / name)) found.push_back(entry.path() / name);
  }
  std::ranges::sort(found, {}, [](const fs::path& path) {
    return std::pair(path.string().size(), path.string());
  });
  return found;
}

std::vector<NamedTraining> read_runs(const std::vector<std::string>& folders) {
  std::vector<NamedTraining> result;
  for (const std::string& name : folders) {
    const fs::path folder(name);
    if (!is_folder(folder)) {
      throw Error(ErrorKind::input, format("the folder '{}' is missing", name),
                  format("{} takes the folders of train -o", flag_of<&TrainRequest::report>()));
    }
    const std::vector<fs::path> found = files_of_runs(folder, "run.json");
    if (found.empty()) {
      throw Error(ErrorKind::input, format("'{}' contains no training run", name),
                  "it holds run.json, or folders run-1, run-2, ... that do");
    }
    for (const fs::path& file : found) {
      result.push_back(
          {file.parent_path().lexically_normal().string(), load_file<TrainingRun>(file)});
    }
  }
  return result;
}

}  // namespace rooflab::task
