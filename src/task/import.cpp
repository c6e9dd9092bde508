#include "rooflab/task/import.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "checked_case.hpp"
#include "describe/parameter_list.hpp"
#include "finding_commands.hpp"
#include "import/ncu_command.hpp"
#include "import/tensor_work.hpp"
#include "notes/task_notes.hpp"
#include "record/counter_metric.hpp"
#include "rooflab/task/results.hpp"
#include "setting_use.hpp"

namespace rooflab::task {
namespace {

using analyze::ImportedCase;

/// A device's, or a compute capability as it is: `9.0`.
record::ComputeCapability capability_of(const std::string& name, const device::Catalog& catalog,
                                        const Session& session) {
  if (const auto capability = record::compute_capability_from(name)) return *capability;
  const device::Device device = named_device(name, catalog, session);
  const auto capability = device.compute_capability
                              ? record::compute_capability_from(device.compute_capability->value)
                              : std::nullopt;
  if (capability) return *capability;
  throw Error(ErrorKind::usage, format("Nsight Compute does not know the device '{}'", device.id),
              "it profiles NVIDIA GPUs; a compute capability such as 9.0 works too");
}

/// What the user asked for of the network that ran.
NetworkSettings asked_settings(const ImportRequest& request) {
  NetworkSettings settings = request.network;
  if (request.precision) settings.precision = {*request.precision};
  return settings;
}

analyze::CheckedNetwork checked_network(const ImportRequest& request, const ImportedCase& imported,
                                        std::vector<std::string>& assumed) {
  const CheckedCase checked(request.check, asked_settings(request), imported.shown,
                            imported.trace.has_value());
  const NetworkSettings settings = checked.settings(imported.source, assumed);
  const std::optional<std::int64_t> batch = batches(settings).front();
  return in_case(request.check, batch, [&] {
    const LoadedModel loaded =
        load_model(request.check, batch, settings, false, contexts(settings).front());
    SettingUse(settings).check(loaded);
    const schedule::LoweringOptions lowering = loaded.lowerings(settings).front();
    schedule::Schedule schedule = *loaded.lowered(lowering);
    return analyze::CheckedNetwork{
        format("{}, batch {}, {}", loaded.name, schedule.graph.batch(), name_of(lowering.phase)),
        std::move(schedule), std::nullopt, !assumed.empty()};
  });
}

[[noreturn]] void throw_no_device(const ImportedCase& imported) {
  throw Error(ErrorKind::input,
              imported.device_note ? imported.device_note->text()
                                   : std::string("no device file describes the trace's device"),
              format("{} names the one that ran", flag_of<&ImportRequest::device>()),
              {imported.source, {}, {}, {}});
}

[[noreturn]] void throw_no_counters(const ImportedCase& imported) {
  throw Error(ErrorKind::input, "the log has no FLOP counters to check",
              format("rooflab import {} DEVICE prints how to collect counters",
                     flag_of<&ImportRequest::ncu_command>()),
              {imported.source, {}, {}, {}});
}

/// Throws Error (input) for a recording with nothing to hold against a network.
void check(ImportedCase& imported, const ImportRequest& request,
           const std::optional<device::Device>& told) {
  std::vector<std::string> assumed;
  analyze::CheckedNetwork network = checked_network(request, imported, assumed);
  if (!assumed.empty()) {
    imported.record.warnings.push_back({says.check_assumes, {join(assumed, ", ")}});
  }
  network.device = told ? told : imported.device;
  if (!imported.has_flops() && !imported.trace) throw_no_counters(imported);
  if (!imported.has_flops() && !network.device) throw_no_device(imported);
  analyze::check_network(imported, network);
}

/// What `measure` and `monitor` wrote is read by other commands. Throws Error (input).
void refuse_without_kernels(const analyze::Recording& recording) {
  const record::Record& record = recording.record;
  if (record.kernels || record.trace || record.counting || !record.lost.empty()) return;
  throw Error(ErrorKind::input,
              record.timing || record.status != record::Status::ok
                  ? "this is a record of rooflab measure: it has no kernels or trace to import"
                  : "the record has no kernels or trace to import",
              "rooflab report shows it, and rooflab roofline draws what was timed",
              {recording.source, {}, {}, {}});
}

/// What the user says of the programs that were recorded.
class ToldFacts {
 public:
  /// Throws Error (usage) for lists that are neither for all files nor for each.
  ToldFacts(const ImportRequest& request, std::size_t files, const device::Catalog& catalog,
            const Session& session)
      : models_(request.model), precision_(request.precision) {
    check_length(request.device, files, flag_of<&ImportRequest::device>());
    check_length(request.model, files, flag_of<&ImportRequest::model>());
    for (const std::string& name : request.device) {
      devices_.push_back(named_device(name, catalog, session));
    }
  }

  [[nodiscard]] std::optional<device::Device> device_of(std::size_t file) const {
    return devices_.empty() ? std::nullopt : std::optional(of(devices_, file));
  }

  /// Adds them to a recording of a file; a trace that says its device keeps it. Throws Error
  /// (input) where it is of another device.
  void add_to(record::Record& record, std::size_t file, const std::string& source) const {
    if (!models_.empty()) record.identity.model = of(models_, file);
    if (device_of(file) && !is_trace(record)) {
      set_device(record.environment.device, *device_of(file), source);
    }
    if (precision_) record.identity.precision = *precision_;
    import::settle_tensor_work(record, precision_);
  }

 private:
  static bool is_trace(const record::Record& record) {
    return record.trace && !record.environment.device.name.empty();
  }

  template <class Value>
  static const Value& of(const std::vector<Value>& values, std::size_t file) {
    return values.size() == 1 ? values.front() : values[file];
  }

  static void check_length(const std::vector<std::string>& values, std::size_t files,
                           const std::string& flag) {
    if (values.size() < 2 || values.size() == files) return;
    throw Error(ErrorKind::usage,
                format("{} has {} values for {}", flag, values.size(), plural(files, "file")),
                "one value is for all files; else each file has one, in their order");
  }

  static void set_device(record::DeviceIdentity& device, const device::Device& told,
                         const std::string& source) {
    const auto capability =
        told.compute_capability ? std::optional(told.compute_capability->value) : std::nullopt;
    if (device.compute_capability && capability && *device.compute_capability != *capability) {
      throw Error(ErrorKind::input,
                  format("{} has compute capability {}, the file is of {}", told.name, *capability,
                         *device.compute_capability),
                  format("{} names the device that ran", flag_of<&ImportRequest::device>()),
                  {source, {}, {}, {}});
    }
    device.name = told.name;
    if (!device.compute_capability) device.compute_capability = capability;
  }

  std::vector<std::string> models_;
  std::vector<device::Device> devices_;
  std::optional<Precision> precision_;
};

}  // namespace

const Parameters& parameters_of(For<ImportRequest>) {
  static const Parameters all = {
      parameter<&ImportRequest::files>(
          "FILE...",
          "output of ncu, .ncu-rep, traces, nsys exports, nvprof CSV, or folders of them",
          {.positional = true, .whole_words = true, .completes = Completion::file}),
      parameter<&ImportRequest::check>(
          "MODEL",
          "the network that ran: the work that a log missed, or a trace's time by op class",
          {.example = "resnet18", .completes = Completion::model}),
      part<&ImportRequest::network>(needing({key_of<&ImportRequest::check>()},
                                            one_workload(parameters_of(For<NetworkSettings>{}))
                                                .without<&NetworkSettings::precision>())),
      parameter<&ImportRequest::precision>(
          "P", "precision of the program; with its device it can rule out tensor-core work",
          {.example = "fp32", .words = precisions_to_ask_for()}),
      parameter<&ImportRequest::device>("D,...", "the device that ran, or that of each file",
                                        {.default_text = "what the file says",
                                         .example = "v100-sxm2-16gb",
                                         .completes = Completion::device}),
      parameter<&ImportRequest::model>(
          "M,...", "what the program is called, or that of each file",
          {.default_text = "the name of the file", .example = "resnet18"}),
      parameter<&ImportRequest::ncu_command>(
          "D", "print the ncu command line for a device or a compute capability (9.0)",
          {.example = "h200",
           .beside = {{key_of<&DeviceFiles::devices_dir>()}},
           .completes = Completion::device}),
      part<&ImportRequest::device_files>(),
  };
  return all;
}

bool ImportResult::complete() const {
  return std::ranges::all_of(recorded.imported, [](const ImportedCase& each) {
    return each.record.lost.empty() && (!each.check || each.check->passes()) &&
           (!each.time_check || each.time_check->passes());
  });
}

ImportResult run(const ImportRequest& request, Session& session) {
  ImportResult result;
  const device::Catalog catalog = request.device_files.catalog();
  if (!request.ncu_command.empty()) {
    result.ncu_command = import::ncu_command(capability_of(request.ncu_command, catalog, session));
    return result;
  }
  if (request.files.empty()) {
    throw Error(ErrorKind::usage, "import needs a file",
                format("rooflab import run.csv, or rooflab import {} h200 for the command that"
                       " makes one",
                       flag_of<&ImportRequest::ncu_command>()));
  }
  if (!request.check.empty()) check_models({request.check}, asked_settings(request));
  const std::vector<ResultFile> files = result_files(request.files);
  const ToldFacts told(request, files.size(), catalog, session);
  std::vector<analyze::Recording> recordings;
  std::vector<std::size_t> file_of;  // of each recording
  for (std::size_t i = 0; i < files.size(); ++i) {
    const ResultFile& file = files[i];
    for (analyze::Recording& each : read_recordings(file, session)) {
      told.add_to(each.record, i, file.path.string());
      if (file.kind != import::FileKind::record) {
        each.record.environment.command = session.command;
        // The program's own, where the recording tells.
        std::string& command = each.record.identity.command;
        if (command.empty()) command = session.command;
      }
      recordings.push_back(std::move(each));
      file_of.push_back(i);
    }
  }
  for (const analyze::Recording& each : recordings) refuse_without_kernels(each);
  add_imported(result.recorded, std::move(recordings), catalog);
  if (!request.check.empty()) {
    for (std::size_t i = 0; i < file_of.size(); ++i) {
      check(result.recorded.imported[i], request, told.device_of(file_of[i]));
    }
  }
  result.findings = imported_findings_for(result.recorded);
  return result;
}

}  // namespace rooflab::task
