#include "rooflab/task/evaluate.hpp"

#include <filesystem>

#include "base/format.hpp"
#include "data/batch_loader.hpp"
#include "data/dataset.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"
#include "run_list.hpp"
#include "system/path_status.hpp"
#include "training_runs.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const std::vector<std::string>& checkpoints) {
  std::vector<fs::path> files;
  for (const std::string& name : checkpoints) {
    if (is_folder(name)) {
      const std::vector<fs::path> found = files_of_runs(name, "weights.pt");
      if (found.empty()) {
        throw Error(
            ErrorKind::input, format("no weights lie in '{}'", name),
            "a run that has ended leaves weights.pt; of one under way name its checkpoint.pt");
      }
      files.insert(files.end(), found.begin(), found.end());
    } else if (is_file(name)) {
      files.emplace_back(name);
    } else {
      throw Error(ErrorKind::input, format("the file or folder '{}' is missing", name),
                  "weights.pt or checkpoint.pt of a run, or the folder of train -o");
    }
  }
  return files;
}

}  // namespace

const Parameters& parameters_of(For<EvaluateRequest>) {
  static const Parameters all = {
      parameter<&EvaluateRequest::checkpoints>("CHECKPOINT...",
                                               "weights.pt, checkpoint.pt, or folders of runs",
                                               {.positional = true,
                                                .required = true,
                                                .whole_words = true,
                                                .completes = Completion::file}),
      parameter<&EvaluateRequest::data>("D", "folder:PATH or cifar10:PATH: its test images",
                                        {.required = true}),
      parameter<&EvaluateRequest::device>("D", "where to run: cpu, cuda, cuda:N, gpu or here",
                                          {.example = "cuda", .completes = Completion::run_device}),
      parameter<&EvaluateRequest::batch>("N", "images per batch", {.example = "100"}),
      parameter<&EvaluateRequest::data_workers>("N", "threads that decode images",
                                                {.example = "8", .most = data::most_workers}),
  };
  return all;
}

EvaluateResult run(const EvaluateRequest& request, Session& session) {
  engine::EvaluationRequest wanted;
  wanted.device = run_device(request.device, "what is here: rooflab devices --detect");
  wanted.batch = request.batch;
  wanted.data_workers = request.data_workers;
  wanted.checkpoints = files_of(request.checkpoints);
  (void)data::open_dataset(request.data, data::Split::test);
  wanted.data = request.data;
  const fs::path worker = require_torch_worker(session.prefix);
  require_run_devices(std::vector{wanted.device}, worker);
  EvaluateResult result;
  try {
    result.summary = training::summarize_evaluations(
        engine::run_evaluation(wanted, run_options(worker, session)));
  } catch (const Error&) {
    session.show_progress("");
    if (!session.should_stop()) throw;
    result.interrupted = true;
  }
  session.show_progress("");
  return result;
}

}  // namespace rooflab::task
