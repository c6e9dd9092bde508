#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/training_view.hpp"
#include "rooflab/training/training_summary.hpp"
#include "run_device.hpp"
#include "train_options.hpp"
#include "train_run.hpp"
#include "workers.hpp"

namespace rooflab::cli {
namespace {

namespace fs = std::filesystem;
using training::NamedTraining;
using Trainings = std::vector<NamedTraining>;

struct TrainCommand {
  TrainOptions options;
  OutputOptions output;
  std::vector<std::string> report_folders;
  bool resume = false;
  bool tries = false;

  void run(Session& session) {
    // Everything that can be wrong is said before anything runs.
    check_flags();
    if (!report_folders.empty()) {
      output.check(true);
      return write(read_runs(report_folders), session);
    }
    const std::optional<fs::path> folder = output.take_folder();
    check_folder(folder);
    output.check(!tries);
    const TrainingData data = options.data();
    std::vector<engine::TrainingRequest> requests = options.requests(data);
    const fs::path worker = require_torch_worker();
    const record::CaseIdentity& identity = requests.front().request.identity;
    const engine::Capabilities here = require_run_devices(std::vector{identity.device}, worker);
    const Precision precision = precision_here(here, identity.device, identity.precision);
    if (precision != identity.precision) {
      options = options.with({{"--precision", std::string(name_of(precision))}});
      requests = options.requests(data);
    }
    if (data.validates_on_training) {
      session.console.say("the data have one split: accuracy is of the images trained on");
    }
    const InterruptGuard guard;
    if (tries) return try_and_write(data, worker, session);

    // Each run in a process and a folder of its own.
    place_runs(requests, *folder, resume);
    const Trainings runs = run_trainings(requests, worker, session.console);
    write(runs, session);
    session.console.say(format("runs are in {}", folder->string()));
    session.exit_code = exit_code(runs, requests.size());
  }

 private:
  void check_flags() const {
    if (!report_folders.empty() && (options.has_model() || tries || resume)) {
      throw Error(ErrorKind::usage, "--report shows what was trained and trains nothing",
                  "leave out the model, --try and --resume");
    }
    if (report_folders.empty() && !options.has_model()) {
      throw Error(ErrorKind::usage, "MODEL is missing", "rooflab train -h");
    }
  }

  void check_folder(const std::optional<fs::path>& folder) const {
    if (tries && (folder || resume)) {
      throw Error(ErrorKind::usage, "--try keeps no runs: it needs no folder and cannot resume",
                  "-o takes a file here");
    }
    if (!tries && !folder) {
      throw Error(ErrorKind::usage, "-o DIR is missing: the runs, their weights and checkpoints",
                  "for example -o runs");
    }
  }

  void write(Trainings runs, const Session& session) const {
    const report::Document document = report::training_view(
        training::summarize_training(std::move(runs)), shell_line(session.words));
    output.write(document, session.console,
                 [&] { return report::render_html(document, plotly_bundle()); });
  }

  void try_and_write(const TrainingData& data, const fs::path& worker, Session& session) const {
    const std::vector<training::TrainingTrial> trials =
        try_advice(options, data, worker, session.console);
    output.write(report::trial_view(training::summarize_trials(trials)), session.console);
    const bool any = !trials.front().samples_per_s.empty();
    session.exit_code = InterruptGuard::interrupted() ? InterruptGuard::exit_code() : any ? 0 : 1;
  }

  static int exit_code(const Trainings& runs, std::size_t wanted) {
    const bool interrupted =
        runs.size() < wanted || std::ranges::any_of(runs, [](const NamedTraining& each) {
          return each.run.status == record::Status::interrupted;
        });
    if (interrupted && InterruptGuard::interrupted()) return InterruptGuard::exit_code();
    const bool all_well = std::ranges::all_of(runs, [](const NamedTraining& each) {
      const record::TrainingRun& run = each.run;
      return run.status == record::Status::ok && (!run.target_accuracy || run.reached_s);
    });
    return all_well ? 0 : 1;
  }
};

}  // namespace

void add_train_command(Command program, Session& session) {
  Command app =
      program.add_subcommand("train", "train to an accuracy, several times, with statistics");
  const auto command = std::make_shared<TrainCommand>();
  command->options.add_to(app);
  command->output.add_to(app);
  app.get_option("--output")
      .description("a folder for the runs, and reports by extension (.html, ...)")
      .type_name("DIR|FILE");
  app.add_flag("--resume", command->resume, "leave complete runs, take the others up");
  app.add_flag("--try", command->tries, "train shortly, apply the advice, show what it brings");
  app.add_option("--report", command->report_folders, "train nothing: show runs of these folders")
      .type_name("DIR...");
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
