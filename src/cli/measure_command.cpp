#include <algorithm>
#include <memory>

#include "calibration_options.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "measure_options.hpp"
#include "measure_run.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "record_folder.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/measure_view.hpp"
#include "run_device.hpp"
#include "workers.hpp"

namespace rooflab::cli {
namespace {

using analyze::MeasuredCase;

/// Only NVIDIA's GPUs have counters that we can read.
void require_gpus(const std::vector<PlannedCase>& cases) {
  for (const PlannedCase& planned : cases) {
    if (planned.request.identity.device != "cpu") continue;
    throw Error(ErrorKind::capability, "--counters needs an NVIDIA GPU, a CPU has none to read",
                "--device cuda; leave --counters out for --device cpu");
  }
}

struct MeasureCommand {
  MeasureOptions options;
  CalibrationOptions calibrations;
  OutputOptions output;
  bool resume = false;

  void run(Session& session) {
    // Everything that can be wrong is said before anything runs.
    const std::optional<std::filesystem::path> folder_path = output.take_folder();
    if (resume && !folder_path) {
      throw Error(ErrorKind::usage, "--resume needs the folder of the records",
                  "for example -o results --resume");
    }
    output.check(true);
    std::vector<PlannedCase> cases = options.plan();
    const device::Catalog catalog = calibrations.catalog_with_probed(options.catalog());
    const std::optional<device::Device> limit_device = options.limit_device();
    const analyze::CalibrationLookup expectations = calibrations.lookup(options.catalog());
    MeasureRunOptions run_options;
    run_options.timeout_s = options.timeout_s();
    if (options.counters()) require_gpus(cases);
    run_options.worker = require_torch_worker();
    std::vector<std::string> devices;
    for (const PlannedCase& planned : cases) {
      devices.push_back(planned.request.identity.device);
    }
    const engine::Capabilities here = require_run_devices(devices, run_options.worker);
    if (std::ranges::any_of(cases, [&here](const PlannedCase& planned) {
          const record::CaseIdentity& identity = planned.request.identity;
          return precision_here(here, identity.device, identity.precision) != identity.precision;
        })) {
      cases = options.plan(here);
    }

    // Each case in a process of its own, its record on disk as soon as it ends.
    std::optional<RecordFolder> folder;
    if (folder_path) folder.emplace(*folder_path);
    run_options.folder = folder ? &*folder : nullptr;
    run_options.resume = resume;
    run_options.command = shell_line(session.words);
    if (resume) say_what_is_there(cases, *folder, session.console);
    const InterruptGuard guard;
    const std::vector<record::Record> records = run_cases(cases, run_options, session.console);

    // What was measured beside what is possible.
    std::vector<MeasuredCase> measured;
    for (std::size_t i = 0; i < records.size(); ++i) {
      measured.push_back(
          analyze::measured_case_of(records[i], catalog, limit_device, expectations));
      std::vector<std::string>& notes = measured.back().notes;
      notes.insert(notes.end(), cases[i].notes.begin(), cases[i].notes.end());
    }
    const report::Document document =
        report::measure_view(measured, shell_line(session.words), options.layer_tables());
    output.write(document, session.console,
                 [&] { return report::render_html(document, plotly_bundle()); });
    if (folder) {
      session.console.say(format("records are in {}", folder->path().string()));
    }
    session.exit_code = exit_code(measured, records.size() < cases.size());
  }

 private:
  static void say_what_is_there(const std::vector<PlannedCase>& cases, const RecordFolder& folder,
                                const Console& console) {
    const auto there = std::ranges::count_if(cases, [&folder](const PlannedCase& planned) {
      return folder.finished(planned.request.identity) != nullptr;
    });
    console.say(format("{} of {} cases are in {} already: not measured again", there, cases.size(),
                       folder.path().string()));
  }

  [[nodiscard]] int exit_code(const std::vector<MeasuredCase>& measured, bool cut_short) const {
    const bool interrupted =
        cut_short || std::ranges::any_of(measured, [](const MeasuredCase& each) {
          return each.record.status == record::Status::interrupted;
        });
    if (interrupted && InterruptGuard::interrupted()) return InterruptGuard::exit_code();
    const bool all_ok = std::ranges::all_of(measured, [](const MeasuredCase& each) {
      return each.record.status == record::Status::ok;
    });
    const bool doubtful = std::ranges::any_of(measured, [](const MeasuredCase& each) {
      return !each.warnings.empty() || (each.model && !each.model->count.uncounted.empty());
    });
    return !all_ok || (options.strict() && doubtful) ? 1 : 0;
  }
};

}  // namespace

void add_measure_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "measure", "run networks here: time, memory and energy beside limit and prediction");
  const auto command = std::make_shared<MeasureCommand>();
  command->options.add_to(app);
  command->calibrations.add_files_to(app);
  command->output.add_to(app);
  app.get_option("--output")
      .description("a report by its extension (.html, ...), or a folder for the records")
      .type_name("FILE|DIR");
  app.add_flag("--resume", command->resume, "leave out the cases that the folder has already");
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
