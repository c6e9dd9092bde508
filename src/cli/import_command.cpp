#include <algorithm>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "device_options.hpp"
#include "error_context.hpp"
#include "flag_value.hpp"
#include "import_view_options.hpp"
#include "model_options.hpp"
#include "output_options.hpp"
#include "result_reader.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/ncu_command.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/record/counter_metric.hpp"
#include "rooflab/report/import_report.hpp"
#include "rooflab/trace/trace_job.hpp"

namespace rooflab::cli {
namespace {

using analyze::ImportedCase;

struct ImportCommand {
  std::vector<std::string> names;
  std::string ncu_device;
  std::string check_model;
  ModelOptions network;
  DeviceOptions devices;
  OutputOptions output;
  ImportViewOptions rows;

  void run(Session& session) const {
    if (!ncu_device.empty()) {
      session.console.print(import::ncu_command(capability_of(ncu_device)) + "\n");
      return;
    }
    const report::ImportView view = rows.view();
    output.check(false);
    if (names.empty()) {
      throw Error(
          ErrorKind::usage, "import needs a file",
          "rooflab import run.csv, or rooflab import --ncu-command h200 for the command that"
          " makes one");
    }
    const std::optional<CheckedNetwork> checked = checked_network();
    std::vector<std::string> sources;
    std::vector<record::Record> records;
    for (const ResultFile& file : result_files(names)) {
      for (auto& [record, source] : read_recordings(file, session.task())) {
        if (file.kind != import::FileKind::record) {
          record.environment.command = shell_line(session.words);
          record.identity.command = record.environment.command;
        }
        sources.push_back(std::move(source));
        records.push_back(std::move(record));
      }
    }
    const std::optional<trace::TraceJob> job = trace::job_of(records);
    const device::Catalog catalog = devices.catalog();
    std::vector<ImportedCase> cases;
    for (std::size_t i = 0; i < records.size(); ++i) {
      cases.push_back(analyze::imported_case_of(std::move(records[i]), sources[i], catalog));
      if (checked) check(cases.back(), *checked);
    }
    output.write(report::import_report(cases, job, view), session.console);
    if (network.strict() && !std::ranges::all_of(cases, is_whole)) session.exit_code = 1;
  }

 private:
  struct CheckedNetwork {
    std::string title;
    predict::NetworkLimit model;
  };

  /// A device's, or a compute capability as it stands: `9.0`.
  [[nodiscard]] record::ComputeCapability capability_of(const std::string& name) const {
    if (const auto capability = record::compute_capability_from(name)) return *capability;
    const device::Device device = devices.catalog().find(name);
    const auto capability = device.compute_capability
                                ? record::compute_capability_from(device.compute_capability->value)
                                : std::nullopt;
    if (!capability) {
      throw Error(ErrorKind::usage,
                  format("Nsight Compute does not know the device '{}'", device.id),
                  "it profiles NVIDIA GPUs; a compute capability such as 9.0 works too");
    }
    return *capability;
  }

  [[nodiscard]] std::optional<CheckedNetwork> checked_network() const {
    if (check_model.empty()) return std::nullopt;
    network.check({check_model});
    const std::vector<std::int64_t> batches = network.batches();
    if (batches.size() > 1) throw Error(ErrorKind::usage, "--check takes one batch size");
    const std::optional<std::int64_t> batch =
        batches.empty() ? std::nullopt : std::optional(batches.front());
    const schedule::LoweringOptions lowering = network.lowering();
    return in_case(check_model, batch, [&] {
      const LoadedModel loaded = network.load(check_model, batch);
      const schedule::Schedule schedule = schedule::lower(loaded.graph, lowering);
      return CheckedNetwork{
          format("{}, batch {}, {}", loaded.name, batch.value_or(1), name_of(lowering.phase)),
          predict::limit_of(schedule, device::Device{})};
    });
  }

  static void check(ImportedCase& imported, const CheckedNetwork& network) {
    using enum record::KernelFigure;
    const record::KernelSums& totals = imported.totals;
    if (!totals.at(fp32_flops) && !totals.at(tensor_flops) && totals.at(collected_flops) <= 0.0) {
      throw Error(
          ErrorKind::input, "there are no FLOP counters to check",
          "a trace has times only; rooflab import --ncu-command DEVICE prints how to collect"
          " counters",
          {imported.source, {}, {}, {}});
    }
    imported.check = analyze::check_work(imported.totals, network.model);
    imported.checked_network = network.title;
  }

  /// Nothing lost, and the check, where one was asked for, passed.
  static bool is_whole(const ImportedCase& imported) {
    return imported.record.lost.empty() && (!imported.check || imported.check->passes());
  }
};

}  // namespace

void add_import_command(Command program, Session& session) {
  Command app =
      program.add_subcommand("import", "read what Nsight Compute or the PyTorch profiler recorded");
  const auto command = std::make_shared<ImportCommand>();
  app.add_option("files", command->names, "ncu --csv output, .ncu-rep, traces, or folders of them")
      .type_name("FILE");
  app.add_option("--check", command->check_model,
                 "the network that ran: says which share of its work the log missed")
      .type_name("MODEL");
  command->network.add_to(app, "batch size of the checked network",
                          "exit 1 when data were lost or the check found over 10 % missing");
  command->rows.add_to(app);
  app.add_option("--ncu-command", command->ncu_device,
                 "print the ncu command line that collects everything on this device")
      .type_name("DEVICE");
  command->devices.add_folder_to(app);
  command->output.add_to(app);
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
