#include <algorithm>

#include "base/format.hpp"
#include "commands.hpp"
#include "describe/field_table.hpp"
#include "describe/parameter_list.hpp"
#include "output_choice.hpp"
#include "page/row_table.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/machine.hpp"

namespace rooflab::cli {
namespace {

page::Document machine_document(const task::Machine& machine) {
  page::Document document{
      .title = "Devices of this machine",
      .tables = {page::table_of<task::LocalDevice>(
          machine.devices,
          page::columns_of(page::titled("kind", "device"), "name", "memory_bytes",
                           page::titled("compute_capability", "compute"), "catalog_id", "uuid"))}};
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    page::cell_at(document.tables.front(), i, "kind") = task::run_name(machine.devices[i].identity);
  }
  const auto add = [&document](std::string fact) {
    document.notes.push_back(page::answers(std::move(fact)));
  };
  add(format("{} logical processors; {}", machine.host.logical_cpus, machine.host.host));
  add(machine.no_gpu ? format("No GPU: {}", *machine.no_gpu)
                     : format("NVIDIA driver {}, for CUDA up to {}",
                              machine.devices[1].identity.driver.value_or("of unknown version"),
                              machine.cuda_version.value_or("an unknown version")));
  for (const auto& [worker, path] : machine.workers) {
    add(format("Worker {}: {}", worker, path.value_or("not found")));
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
      parameter<&DevicesCommand::detect>(
          "describe this machine instead",
          {.beside = {{key_of<&task::DeviceFiles::devices_dir>(), key_of<&OutputChoice::format>(),
                       key_of<&OutputChoice::output>()}}}),
      parameter<&DevicesCommand::links>(
          "list the links between devices instead",
          {.beside = {{key_of<&OutputChoice::format>(), key_of<&OutputChoice::output>()}}}),
      part<&DevicesCommand::files>(),
      part<&DevicesCommand::output>(),
  };
  return all;
}

/// Which of the devices have a calibration in the program.
void add_calibrations(const std::vector<std::string>& shown, page::Document& document) {
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
page::Document catalog_document(const DevicesCommand& command, const device::Catalog& catalog) {
  std::vector<std::string> shown = catalog.ids();
  page::Document document;
  if (command.name.empty()) {
    document = report::device_list_report(catalog.devices());
  } else {
    std::vector<device::Device> devices;
    std::vector<std::string> taken;
    for (device::ChosenDevice& each : catalog.choose({&command.name, 1})) {
      if (each.note) taken.push_back(each.note->text());
      devices.push_back(std::move(each.device));
    }
    shown.clear();
    for (const device::Device& device : devices) shown.push_back(device.id);
    document = devices.size() == 1 ? report::device_report(devices.front())
                                   : report::device_list_report(devices);
    document.notes.insert(document.notes.begin(), taken.begin(), taken.end());
  }
  add_calibrations(shown, document);
  return document;
}

void run(const DevicesCommand& command, Terminal& terminal) {
  if (command.links) {
    return command.output.write(report::link_list_report(device::links()), terminal.console);
  }
  const device::Catalog catalog = command.files.catalog();
  command.output.write(command.detect ? machine_document(task::detected_machine(catalog))
                                      : catalog_document(command, catalog),
                       terminal.console);
}

}  // namespace

CommandSpec devices_command() {
  return command<DevicesCommand>("devices", "list the devices, or one with every figure's source",
                                 run);
}

}  // namespace rooflab::cli
