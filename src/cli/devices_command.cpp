#include <algorithm>
#include <array>
#include <map>

#include "commands.hpp"
#include "output_choice.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/field_table.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/device/lazy_calibration.hpp"
#include "rooflab/device/link.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/monitor/gpu_sensor.hpp"
#include "rooflab/monitor/host.hpp"
#include "rooflab/record/environment.hpp"
#include "rooflab/report/device_report.hpp"
#include "rooflab/report/row_table.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/run_device.hpp"

namespace rooflab::cli {
namespace {

/// The catalog's device of that name; nullopt when none or several have it.
std::optional<std::string> catalog_id(const device::Catalog& catalog, const std::string& name) {
  try {
    return catalog.find(name).id;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return std::nullopt;
  }
}

/// A device of this machine.
struct LocalDevice {
  record::DeviceIdentity identity;
  std::optional<std::string> id;  ///< in the catalog; nullopt: it is not there
};
std::span<const Field> fields_of(For<LocalDevice>) {
  static constexpr Field fields[] = {part<&LocalDevice::identity>(),
                                     field<&LocalDevice::id>("catalog_id")};
  return fields;
}

constexpr std::array<const char*, 2> worker_names = {"rooflab-torch", "rooflab-probe"};

/// What is in this machine.
struct Machine {
  record::Environment host;
  std::optional<std::string> cuda_version;
  std::optional<std::string> no_gpu;  ///< why no GPU was found
  std::vector<LocalDevice> devices;
  std::map<std::string, std::optional<std::string>> workers;  ///< programs by name
};
std::span<const Field> fields_of(For<Machine>) {
  using record::Environment;
  static constexpr Field fields[] = {
      field<Within{&Machine::host, &Environment::host}>("host"),
      field<Within{&Machine::host, &Environment::cpu}>("cpu"),
      field<Within{&Machine::host, &Environment::logical_cpus}>("logical_cpus"),
      field<Within{&Machine::host, &Environment::host_memory}>("host_memory_bytes"),
      field<&Machine::cuda_version>("cuda_version"),
      field<&Machine::no_gpu>("no_gpu"),
      field<&Machine::devices>("devices"),
      field<&Machine::workers>("workers")};
  return fields;
}

Machine detected_machine(const device::Catalog& catalog) {
  Machine machine;
  monitor::describe_host(machine.host);
  std::string missing;
  const auto add = [&](const record::DeviceIdentity& device) {
    machine.devices.push_back({device, catalog_id(catalog, device.name)});
  };
  add(monitor::cpu_identity());
  std::ranges::for_each(monitor::detect_gpus(missing), add);
  if (machine.devices.size() == 1) machine.no_gpu = missing;
  machine.cuda_version = monitor::driver_cuda_version();
  for (const char* const worker : worker_names) {
    const std::optional<std::filesystem::path> path = engine::find_worker(worker);
    machine.workers[worker] = path ? std::optional(path->string()) : std::nullopt;
  }
  return machine;
}

report::Document machine_document(const Machine& machine) {
  report::Document document{
      .title = "Devices of this machine",
      .tables = {report::table_of<LocalDevice>(
          machine.devices,
          report::columns_of(report::titled("kind", "device"), "name", "memory_bytes",
                             report::titled("compute_capability", "compute"), "catalog_id",
                             "uuid"))}};
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    report::cell_at(document.tables.front(), i, "kind") =
        task::run_name(machine.devices[i].identity);
  }
  document.notes.push_back(
      format("{} logical processors; {}", machine.host.logical_cpus, machine.host.host));
  document.notes.push_back(
      machine.no_gpu ? format("No GPU: {}", *machine.no_gpu)
                     : format("NVIDIA driver {}, for CUDA up to {}",
                              machine.devices[1].identity.driver.value_or("of unknown version"),
                              machine.cuda_version.value_or("an unknown version")));
  for (const char* const worker : worker_names) {
    document.notes.push_back(
        format("Worker {}: {}", worker, machine.workers.at(worker).value_or("not found")));
  }
  document.json = command_json("devices", to_json(machine));
  return document;
}

struct DevicesCommand {
  std::string name;
  bool detect = false;
  bool links = false;
  task::DeviceFiles files;
  OutputChoice output;
};

const Parameters& parameters_of(For<DevicesCommand>) {
  static const Parameters all = {
      parameter<&DevicesCommand::name>("NAME", "one device",
                                       {.positional = true, .completes = Completion::device}),
      parameter<&DevicesCommand::detect>("say what is in this machine instead"),
      parameter<&DevicesCommand::links>("list what joins devices instead"),
      part<&DevicesCommand::files>(),
      part<&DevicesCommand::output>(),
  };
  return all;
}

/// Which of the devices have a calibration in the program.
void add_calibrations(const std::vector<std::string>& shown, report::Document& document) {
  Json known = Json::array();
  for (const device::LazyCalibration& each : device::built_in_calibrations()) {
    const device::CalibrationEntry& entry = each.entry();
    if (std::ranges::find(shown, entry.device) == shown.end()) continue;
    const bool dated = !entry.date.empty();
    document.notes.push_back(format("{} is calibrated{}: predict says what to expect of it.",
                                    entry.device, dated ? ", measured " + entry.date : ""));
    known.push_back(
        {{"id", entry.id}, {"device", entry.device}, {"date", dated ? Json(entry.date) : Json()}});
  }
  document.json.update({{"calibrations", std::move(known)}});
}

/// The devices of the catalog, or the one that was named.
report::Document catalog_document(const DevicesCommand& command, const device::Catalog& catalog) {
  std::vector<std::string> shown = catalog.ids();
  report::Document document;
  if (command.name.empty()) {
    document = report::device_list_report(catalog.devices());
  } else {
    const device::Device device = catalog.find(command.name);
    shown = {device.id};
    document = report::device_report(device);
  }
  add_calibrations(shown, document);
  return document;
}

void run(const DevicesCommand& command, Session& session) {
  const std::string links = flag_of<&DevicesCommand::links>();
  const std::string detect = flag_of<&DevicesCommand::detect>();
  if (command.links && (command.detect || !command.name.empty())) {
    throw Error(ErrorKind::usage,
                format("{} lists the known links and takes nothing beside", links),
                format("rooflab devices {}", links));
  }
  if (command.detect && !command.name.empty()) {
    throw Error(ErrorKind::usage,
                format("{} says what is in this machine and takes no name", detect),
                format("rooflab devices {}", command.name));
  }
  if (command.links) {
    return command.output.write(report::link_list_report(device::links()), session.console);
  }
  const device::Catalog catalog = command.files.catalog();
  command.output.write(command.detect ? machine_document(detected_machine(catalog))
                                      : catalog_document(command, catalog),
                       session.console);
}

}  // namespace

CommandSpec devices_command() {
  return command<DevicesCommand>("devices", "list the devices, or one with every figure's source",
                                 run);
}

}  // namespace rooflab::cli
