#include <algorithm>

#include "commands.hpp"
#include "output_choice.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/fields.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/device/lazy_calibration.hpp"
#include "rooflab/device/link.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/monitor/gpu_sensor.hpp"
#include "rooflab/monitor/host.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/report/device_report.hpp"
#include "rooflab/task/device_choice.hpp"

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

/// What is in this machine.
class DetectedDevices {
 public:
  explicit DetectedDevices(const device::Catalog& catalog) : catalog_(catalog) {
    monitor::describe_host(host_);
    devices_ = {monitor::cpu_identity()};
    for (record::DeviceIdentity& gpu : monitor::detect_gpus(missing_)) {
      devices_.push_back(std::move(gpu));
    }
    cuda_version_ = monitor::driver_cuda_version();
  }

  [[nodiscard]] report::Document document() const {
    report::Document document;
    document.title = "Devices of this machine";
    report::Table table;
    table.columns = {{"device", "device", report::Align::left},
                     {"name", "name", report::Align::left},
                     {"memory_bytes", "memory"},
                     {"compute_capability", "compute", report::Align::left},
                     {"catalog_id", "catalog", report::Align::left},
                     {"uuid", "UUID", report::Align::left}};
    for (const record::DeviceIdentity& device : devices_) table.rows.push_back(row_of(device));
    document.tables.push_back(std::move(table));
    document.notes.push_back(format("{} logical processors; {}", host_.logical_cpus, host_.host));
    if (devices_.size() > 1) {
      document.notes.push_back(format("NVIDIA driver {}, for CUDA up to {}",
                                      devices_[1].driver.value_or("of unknown version"),
                                      cuda_version_.value_or("an unknown version")));
    } else {
      document.notes.push_back(format("No GPU: {}", missing_));
    }
    document.json = head_json();
    for (const std::string_view worker : {"rooflab-torch", "rooflab-probe"}) {
      const std::optional<std::filesystem::path> path = engine::find_worker(worker);
      document.notes.push_back(
          format("Worker {}: {}", worker, path ? path->string() : "not found"));
      document.json["workers"][std::string(worker)] = path ? Json(path->string()) : Json();
    }
    return document;
  }

 private:
  [[nodiscard]] std::vector<report::Cell> row_of(const record::DeviceIdentity& device) const {
    const std::optional<std::string> id = catalog_id(catalog_, device.name);
    return {label_of(device),
            device.name,
            report::optional_si_cell(
                device.memory ? std::optional(device.memory->as_double()) : std::nullopt, "B"),
            text_cell(device.compute_capability),
            text_cell(id),
            text_cell(device.uuid.empty() ? std::nullopt : std::optional(device.uuid))};
  }

  [[nodiscard]] Json head_json() const {
    Json json;
    json["schema_version"] = schema_version;
    json["command"] = "devices";
    json["host"] = {{"system", host_.host},
                    {"cpu", host_.cpu},
                    {"logical_cpus", host_.logical_cpus},
                    {"memory_bytes", json_or_null(host_.host_memory)}};
    json["cuda_version"] = json_or_null(cuda_version_);
    json["no_gpu"] = devices_.size() > 1 ? Json() : Json(missing_);
    json["detected"] = Json::array();
    for (const record::DeviceIdentity& device : devices_) {
      Json entry = to_json(device);
      entry["catalog_id"] = json_or_null(catalog_id(catalog_, device.name));
      json["detected"].push_back(std::move(entry));
    }
    return json;
  }

  [[nodiscard]] static std::string label_of(const record::DeviceIdentity& device) {
    return device.kind == "cpu" ? device.kind : format("{}:{}", device.kind, device.index);
  }

  [[nodiscard]] static report::Cell text_cell(const std::optional<std::string>& text) {
    return text ? report::Cell(*text) : report::Cell("-", "");
  }

  const device::Catalog& catalog_;
  record::Environment host_;
  std::vector<record::DeviceIdentity> devices_;
  std::string missing_;
  std::optional<std::string> cuda_version_;
};

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
  document.json["calibrations"] = Json::array();
  for (const device::LazyCalibration& each : device::built_in_calibrations()) {
    const device::CalibrationEntry& entry = each.entry();
    if (std::ranges::find(shown, entry.device) == shown.end()) continue;
    const bool dated = !entry.date.empty();
    document.notes.push_back(format("{} is calibrated{}: predict says what to expect of it.",
                                    entry.device, dated ? ", measured " + entry.date : ""));
    document.json["calibrations"].push_back(
        {{"id", entry.id}, {"device", entry.device}, {"date", dated ? Json(entry.date) : Json()}});
  }
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
  command.output.write(
      command.detect ? DetectedDevices(catalog).document() : catalog_document(command, catalog),
      session.console);
}

}  // namespace

CommandSpec devices_command() {
  return command<DevicesCommand>("devices", "list the devices, or one with every figure's source",
                                 run);
}

}  // namespace rooflab::cli
