#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/scaling_report.hpp"
#include "run_device.hpp"
#include "scale_options.hpp"
#include "scale_run.hpp"
#include "workers.hpp"

namespace rooflab::cli {
namespace {

using record::ScaleRun;
using record::Status;

struct ScaleCommand {
  ScaleOptions options;
  OutputOptions output;
  bool resume = false;

  void run(Session& session) {
    // Everything that can be wrong is said before anything runs.
    const std::optional<std::filesystem::path> folder_path = output.take_folder();
    if (resume && !folder_path) {
      throw Error(ErrorKind::usage, "--resume needs the folder of the runs",
                  "for example -o results --resume");
    }
    output.check(true);
    ScaleRunOptions run_options;
    run_options.place = engine::place_from_environment(engine::own_environment());
    const std::optional<int> ranks =
        run_options.place ? std::optional(run_options.place->size) : std::nullopt;
    std::vector<engine::ScaleRequest> requests = options.plan(ranks);
    if (resume && ranks && *ranks > 1) {
      throw Error(ErrorKind::usage,
                  "--resume does not work under a launcher: only rank 0 sees the finished runs",
                  "run what is missing by hand");
    }
    // Under a launcher every process runs its own rank, and the first one reports.
    const bool reports = !run_options.place || run_options.place->rank == 0;
    std::optional<ScaleFolder> folder;
    if (folder_path && reports) folder.emplace(*folder_path);
    // A folder that has all of them is reported anywhere.
    if (!resume || !folder->has_all(requests)) {
      run_options.worker = require_torch_worker();
      const engine::Capabilities here = require_run_devices(options.devices(), run_options.worker);
      requests = options.plan(ranks, here);
    }
    run_options.folder = folder ? &*folder : nullptr;
    run_options.resume = resume;
    const InterruptGuard guard;
    const std::vector<ScaleRun> runs = run_scales(requests, run_options, session.console);
    if (!reports) return report_failures(runs, session);

    // What was measured beside what was expected, and beside one device.
    std::vector<std::string> notes;
    analyze::Scaling scaling = analyze::scaling_of(runs, options.predict(runs, notes));
    scaling.notes = std::move(notes);
    output.write(report::scaling_report(scaling, "scale"), session.console, [&] {
      return report::render_html(report::scaling_page(scaling, shell_line(session.words)),
                                 plotly_bundle());
    });
    if (folder) session.console.say(format("runs are in {}", folder->path().string()));
    session.exit_code = exit_code(runs, runs.size() < requests.size());
  }

 private:
  /// On another rank than the first.
  static void report_failures(const std::vector<ScaleRun>& runs, Session& session) {
    for (const ScaleRun& run : runs) {
      session.console.error(format("{}: {}", run.identity.model, run.message), "");
      session.exit_code = 1;
    }
    if (InterruptGuard::interrupted()) session.exit_code = InterruptGuard::exit_code();
  }

  [[nodiscard]] int exit_code(const std::vector<ScaleRun>& runs, bool cut_short) const {
    const bool interrupted = cut_short || std::ranges::any_of(runs, [](const ScaleRun& run) {
                               return run.status == Status::interrupted;
                             });
    if (interrupted && InterruptGuard::interrupted()) return InterruptGuard::exit_code();
    const bool all_ok =
        std::ranges::all_of(runs, [](const ScaleRun& run) { return run.status == Status::ok; });
    const bool doubtful =
        std::ranges::any_of(runs, [](const ScaleRun& run) { return !run.warnings.empty(); });
    return !all_ok || (options.strict() && doubtful) ? 1 : 0;
  }
};

}  // namespace

void add_scale_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "scale", "train networks on several devices at once: speed-up, communication, prediction");
  const auto command = std::make_shared<ScaleCommand>();
  command->options.add_to(app);
  command->output.add_to(app);
  app.get_option("--output")
      .description("a report by its extension (.html, ...), or a folder for the runs")
      .type_name("FILE|DIR");
  app.add_flag("--resume", command->resume, "leave out the runs that the folder has already");
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
