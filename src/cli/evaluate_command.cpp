#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

#include "commands.hpp"
#include "flag_value.hpp"
#include "interrupt.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/data/dataset.hpp"
#include "rooflab/engine/training.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/training_view.hpp"
#include "run_device.hpp"
#include "workers.hpp"

namespace rooflab::cli {
namespace {

namespace fs = std::filesystem;

/// The weights of a run's folder, or of all runs in it.
std::vector<fs::path> weights_in(const fs::path& folder) {
  std::error_code status;
  if (fs::exists(folder / "weights.pt", status)) return {folder / "weights.pt"};
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path weights = entry.path() / "weights.pt";
    if (fs::exists(weights, status)) found.push_back(weights);
  }
  std::ranges::sort(found, {}, [](const fs::path& path) {
    return std::pair(path.string().size(), path.string());  // run-2 before run-10
  });
  if (found.empty()) {
    throw Error(ErrorKind::input, format("no weights lie in '{}'", folder.string()),
                "a run that has ended leaves weights.pt; of one under way name its checkpoint.pt");
  }
  return found;
}

struct EvaluateCommand {
  std::vector<std::string> checkpoints;
  std::string data;
  std::string device = "cpu";
  std::string batch;
  std::string data_workers;
  OutputOptions output;

  void run(Session& session) const {
    output.check(true);
    const engine::EvaluationRequest request = this->request();
    engine::RunOptions options;
    options.worker = require_torch_worker();
    require_run_devices(std::vector{request.device}, options.worker);
    const InterruptGuard guard;
    options.should_stop = [] { return InterruptGuard::interrupted(); };
    options.on_progress = [&session](const engine::Progress& now) {
      session.console.show_progress(format("{} {:.0f} %", now.stage, now.done * 100.0));
    };
    std::vector<record::Evaluation> evaluations;
    try {
      evaluations = engine::run_evaluation(request, options);
    } catch (const Error&) {
      session.console.clear_progress();
      if (!InterruptGuard::interrupted()) throw;
      session.exit_code = InterruptGuard::exit_code();
      return;
    }
    session.console.clear_progress();
    const report::Document document = report::evaluation_view(
        training::summarize_evaluations(std::move(evaluations)), shell_line(session.words));
    output.write(document, session.console,
                 [&] { return report::render_html(document, plotly_bundle()); });
  }

 private:
  [[nodiscard]] engine::EvaluationRequest request() const {
    engine::EvaluationRequest request;
    request.device = run_device(device, "what is here: rooflab devices --detect");
    if (!batch.empty()) request.batch = positive(batch, "--batch", "--batch 100");
    if (!data_workers.empty()) {
      request.data_workers = static_cast<int>(
          std::min<std::int64_t>(positive(data_workers, "--data-workers", "--data-workers 8"),
                                 std::numeric_limits<int>::max()));
    }
    for (const std::string& name : checkpoints) {
      std::error_code status;
      if (fs::is_directory(name, status)) {
        for (fs::path& path : weights_in(name)) request.checkpoints.push_back(std::move(path));
      } else if (fs::is_regular_file(name, status)) {
        request.checkpoints.emplace_back(name);
      } else {
        throw Error(ErrorKind::input, format("there is no file or folder '{}'", name),
                    "weights.pt or checkpoint.pt of a run, or the folder of train -o");
      }
    }
    (void)data::open_dataset(data, data::Split::test);
    request.data = data;
    return request;
  }
};

}  // namespace

void add_evaluate_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "evaluate",
      "count what trained models get right on other labelled images, and what they confuse");
  const auto command = std::make_shared<EvaluateCommand>();
  app.add_option("checkpoints", command->checkpoints, "weights.pt, checkpoint.pt or folders")
      .type_name("CHECKPOINT...")
      .required();
  app.add_option("--data", command->data, "folder:PATH or cifar10:PATH: its test images")
      .type_name("D")
      .required();
  app.add_option("--device", command->device, "cpu (the default), cuda, cuda:N").type_name("D");
  app.add_option("--batch", command->batch, "images at a time (100)").type_name("N");
  app.add_option("--data-workers", command->data_workers, "threads that decode images (2)")
      .type_name("N");
  command->output.add_to(app);
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
