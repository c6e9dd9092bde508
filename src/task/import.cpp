#include "rooflab/task/import.hpp"

#include <algorithm>
#include <utility>

#include "base/parameter_list.hpp"
#include "import/ncu_command.hpp"
#include "record/counter_metric.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/task/results.hpp"

namespace rooflab::task {
namespace {

using analyze::ImportedCase;

struct CheckedNetwork {
  std::string title;
  schedule::Schedule schedule;
};

/// A device's, or a compute capability as it stands: `9.0`.
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

std::optional<CheckedNetwork> checked_network(const ImportRequest& request) {
  if (request.check.empty()) return std::nullopt;
  check_models({request.check}, request.network);
  const std::optional<std::int64_t> batch = batches(request.network).front();
  const schedule::LoweringOptions lowering = lowerings(request.network).front();
  return in_case(request.check, batch, [&] {
    const LoadedModel loaded = load_model(request.check, batch, request.network);
    schedule::Schedule schedule = schedule::lower(loaded.graph, lowering);
    return CheckedNetwork{
        format("{}, batch {}, {}", loaded.name, batch.value_or(1), name_of(lowering.phase)),
        std::move(schedule)};
  });
}

/// The times of a trace beside limit and prediction on `device`.
void check_times(ImportedCase& imported, const CheckedNetwork& network,
                 const std::optional<device::Device>& device) {
  if (!device) {
    throw Error(ErrorKind::input,
                imported.device_note ? imported.device_note->text()
                                     : std::string("no device file describes the trace's device"),
                format("{} names the one that ran", flag_of<&ImportRequest::device>()),
                {imported.source, {}, {}, {}});
  }
  const analyze::CaseResult model = analyze::predict_case(network.schedule, *device);
  const double step_s = imported.trace->ours.breakdown.mean.total_ns * 1e-9;
  imported.time_check =
      analyze::check_trace(imported.trace->work, step_s, network.schedule.graph, model);
  imported.time_check->network = format("{} on {}", network.title, device->id);
}

void check(ImportedCase& imported, const CheckedNetwork& network,
           const std::optional<device::Device>& device) {
  using enum record::KernelFigure;
  const record::KernelSums& totals = imported.totals;
  if (!totals.at(fp32_flops) && !totals.at(tensor_flops) && totals.at(collected_flops) <= 0.0) {
    if (imported.trace) return check_times(imported, network, device ? device : imported.device);
    throw Error(ErrorKind::input, "the log has no FLOP counters to check",
                format("rooflab import {} DEVICE prints how to collect counters",
                       flag_of<&ImportRequest::ncu_command>()),
                {imported.source, {}, {}, {}});
  }
  imported.check =
      analyze::check_work(imported.totals, predict::limit_of(network.schedule, device::Device{}));
  imported.check->network = network.title;
}

}  // namespace

const Parameters& parameters_of(For<ImportRequest>) {
  static const Parameters all = {
      parameter<&ImportRequest::files>(
          "FILE...", "ncu --csv output, .ncu-rep, traces, nsys exports, or folders of them",
          {.positional = true, .whole_words = true, .completes = Completion::file}),
      parameter<&ImportRequest::check>(
          "MODEL",
          "the network that ran: the work that a log missed, or a trace's time by op class",
          {.example = "resnet18", .completes = Completion::model}),
      part<&ImportRequest::network>(needing({key_of<&ImportRequest::check>()},
                                            one_workload(parameters_of(For<NetworkSettings>{})))),
      parameter<&ImportRequest::device>("D", "the device that ran a trace, for its check",
                                        {.default_text = "the trace's own",
                                         .example = "h200",
                                         .needs = {{key_of<&ImportRequest::check>()}},
                                         .completes = Completion::device}),
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
    return each.record.lost.empty() && (!each.check || each.check->passes());
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
  const std::optional<CheckedNetwork> checked = checked_network(request);
  std::vector<analyze::Recording> recordings;
  for (const ResultFile& file : result_files(request.files)) {
    for (analyze::Recording& each : read_recordings(file, session)) {
      if (file.kind != import::FileKind::record) {
        each.record.environment.command = session.command;
        // The program's own, where the recording tells.
        std::string& command = each.record.identity.command;
        if (command.empty()) command = session.command;
      }
      recordings.push_back(std::move(each));
    }
  }
  add_imported(result.recorded, std::move(recordings), catalog);
  if (checked) {
    const auto device =
        request.device.empty() ? std::nullopt : std::optional(catalog.find(request.device));
    for (ImportedCase& each : result.recorded.imported) check(each, *checked, device);
  }
  return result;
}

}  // namespace rooflab::task
