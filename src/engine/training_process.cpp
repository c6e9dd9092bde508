// One run of training, one process. What it came to is in its folder, which outlives the process:
// run.json is rewritten after every epoch, so a worker that dies leaves the epochs that it
// finished. Such a run gets the status of the end here, and the file is written again with it:
// a later reader of the folder sees what the caller saw. run.json of a run that has not ended
// says `interrupted`; it is the last thing that a run changes by itself.
//
// A new run first removes the files of an older one in the folder: otherwise a worker that dies
// early would leave that one's epochs as its own.

#include <algorithm>
#include <array>
#include <vector>

#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/system/file.hpp"
#include "system/path_status.hpp"
#include "system/temporary_folder.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::TrainingRun;

constexpr std::array run_files = {"run.json", "checkpoint.pt", "weights.pt", "train.log"};

/// The name of a file of the run that was being written: `weights.pt.WORD.rooflab.part`, or in an
/// older version `weights.pt.PROCESS.part`.
bool is_half_file(const std::string& name) {
  return std::ranges::any_of(run_files, [&name](std::string_view file) {
    if (!name.starts_with(format("{}.", file))) return false;
    if (name.ends_with(part_ending)) return true;
    std::string_view word = std::string_view(name).substr(file.size() + 1);
    constexpr std::string_view older_ending = ".part";
    if (!word.ends_with(older_ending)) return false;
    word.remove_suffix(older_ending.size());
    return word.find_first_not_of("0123456789") == std::string_view::npos;
  });
}

void prepare_folder(const TrainingRequest& request) {
  make_folders(request.folder);
  // Half files of a process that was killed; no other has the folder.
  std::error_code ignored;
  const fs::directory_iterator entries(request.folder, ignored);
  const std::vector<fs::path> all(begin(entries), end(entries));
  for (const fs::path& path : all) {
    if (is_half_file(path.filename().string())) fs::remove(path, ignored);
  }
  if (request.resume) return;
  for (const char* const name : run_files) fs::remove(request.folder / name, ignored);
}

/// Throws when the folder holds a run that this request does not continue.
void check_resumable(const TrainingRequest& request, const fs::path& run_file) {
  if (!request.resume || !is_file(run_file)) return;
  const auto difference = difference_to(load_file<record::TrainingRun>(run_file), request);
  if (!difference) return;
  throw Error(ErrorKind::usage, "the folder holds another run: " + *difference,
              "another folder for this run, or no --resume", {run_file.string(), {}, {}, {}});
}

/// Run of a worker that left no file.
TrainingRun run_of_request(const TrainingRequest& request) {
  TrainingRun run;
  run.identity = request.request.identity;
  run.identity.graph = graph::to_text(request.request.graph);
  run.recipe = request.recipe;
  run.seed = request.request.settings.seed;
  run.target_accuracy = request.target_accuracy;
  run.data_workers = request.request.settings.data_workers;
  run.environment.command = run.identity.command;
  run.environment.device.kind = run.identity.device.substr(0, run.identity.device.find(':'));
  return run;
}

bool ended_well(const ChildResult& child) {
  return !child.stopped && !child.timed_out && child.exit_status == 0;
}

}  // namespace

std::optional<std::string> difference_to(const TrainingRun& held, const TrainingRequest& request) {
  const record::CaseIdentity& before = held.identity;
  const record::CaseIdentity& now = request.request.identity;
  const auto differ = [](std::string_view what, const auto& old_value, const auto& new_value) {
    return format("the {} is {}, not {}", what, old_value, new_value);
  };
  if (held.seed != request.request.settings.seed) {
    return differ("seed", held.seed, request.request.settings.seed);
  }
  if (before.batch != now.batch) return differ("batch", before.batch.value(), now.batch.value());
  if (before.data != now.data) return differ("data", before.data.value(), now.data.value());
  if (before.precision != now.precision) {
    return differ("precision", name_of(before.precision), name_of(now.precision));
  }
  if (before.optimizer != now.optimizer) {
    return differ("optimizer", before.optimizer, now.optimizer);
  }
  if (held.recipe != request.recipe) {
    const Json old_recipe = rooflab::to_json(held.recipe);
    const Json new_recipe = rooflab::to_json(request.recipe);
    for (const auto& [key, value] : new_recipe.items()) {
      if (old_recipe[key] == value) continue;
      return format("its recipe's {} is {}, not {}", key, old_recipe[key].dump(), value.dump());
    }
  }
  if (before.graph != graph::to_text(request.request.graph)) {
    return format("the network, {}, is not the same", before.model);
  }
  return std::nullopt;
}

TrainingRun run_training(const TrainingRequest& request, const RunOptions& options) {
  const fs::path run_file = request.folder / "run.json";
  check_resumable(request, run_file);
  prepare_folder(request);
  const TemporaryFolder folder("train");
  const fs::path request_file = folder.file("request.json");
  save_file(request_file, request);
  const ChildResult child = run_worker(options, "train", request_file, run_file);

  const auto [written, unreadable] = read_worker_file<TrainingRun>(run_file);
  if (written && ended_well(child)) return *written;
  TrainingRun run = written.value_or(run_of_request(request));
  const WorkerEnd end = end_of(child);
  run.status = end.status;
  run.message = ended_well(child) && !unreadable.empty() ? unreadable : end.message;
  if (unreadable.empty()) save_file(run_file, run);
  return run;
}

std::vector<record::Evaluation> run_evaluation(const EvaluationRequest& request,
                                               const RunOptions& options) {
  const TemporaryFolder folder("evaluate");
  const fs::path request_file = folder.file("request.json");
  const fs::path result_file = folder.file("result.json");
  save_file(request_file, request);
  const ChildResult child = run_worker(options, "evaluate", request_file, result_file);
  if (!ended_well(child) || !is_file(result_file)) {
    throw Error(ErrorKind::capability,
                format("the worker {} evaluated nothing: {}", options.worker.string(),
                       end_of(child).message),
                "ask it what it can do here: " + options.worker.string() + " describe");
  }
  EvaluationResult result = load_file<EvaluationResult>(result_file);
  if (const auto& fault = result.fault) {
    throw Error(ErrorKind::input, fault->message, fault->hint, {fault->file, {}, {}, {}});
  }
  return std::move(result.evaluations);
}

}  // namespace rooflab::engine
