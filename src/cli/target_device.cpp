#include "target_device.hpp"

#include <algorithm>

#include "count_ranges.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/predict/library_memory.hpp"
#include "rooflab/predict/op_times.hpp"
#include "run_device.hpp"
#include "workers.hpp"

namespace rooflab::cli {
namespace {

bool is_here(std::string_view name) { return name.starts_with("cuda:"); }

}  // namespace

std::optional<predict::LibraryMemory> TargetDevice::library(
    const schedule::Schedule& schedule) const {
  if (!calibrated) return std::nullopt;
  return predict::library_memory(schedule, calibrated->times);
}

std::vector<double> TargetDevice::op_times(const schedule::Schedule& schedule) const {
  if (!calibrated || calibrated->times.carried()) {
    // Without a limit of this device there is nothing to carry a calibration over by.
    const predict::NetworkLimit limit = predict::limit_of(schedule, device);
    if (!calibrated || !limit.time) return predict::op_times(limit);
  }
  return predict::op_times(
      predict::predict_step(schedule, calibrated->times, {.host = calibrated->host}));
}

Seconds TargetDevice::step_time(const schedule::Schedule& schedule) const {
  Seconds total;
  for (const double time : op_times(schedule)) total += {time};
  return total;
}

void TargetOptions::add_to(Command command, const std::string& flag, const std::string& help) {
  flag_ = flag;
  command.add_option(flag, names_, help).type_name(flag == "--device" ? "D" : "D,...").required();
  command
      .add_option("--memory-limit", limit_,
                  "use so much of a device's memory: 8GB (all; its context is part of it)")
      .type_name("SIZE");
  device_files_.add_folder_to(command);
  calibrations_.add_to(command);
  command.get_option("--model").description(
      "of the predicted time: calibrated (where one fits), or limit: the roofline");
}

void TargetOptions::check() const {
  calibrations_.check(true);
  if (calibrations_.model() == analyze::PredictionModel::ppp) {
    throw Error(ErrorKind::usage, "--model ppp has no times of single ops here",
                "--model calibrated or limit");
  }
  (void)memory_limit();
  (void)names();
}

std::optional<Bytes> TargetOptions::memory_limit() const {
  if (limit_.empty()) return std::nullopt;
  return byte_size(limit_, "--memory-limit");
}

std::vector<std::string> TargetOptions::names() const {
  std::vector<std::string> names;
  for (const std::string& part : split(names_, ',')) {
    std::string name(trim(part));
    if (lowercase(name) == "cuda") name = "cuda:0";
    if (name.empty()) {
      throw Error(ErrorKind::usage, format("{} '{}' names no device", flag_, names_),
                  format("for example {} h200 (rooflab devices), or cuda:0", flag_));
    }
    if (lowercase(name) == "cpu") {
      throw Error(ErrorKind::capability,
                  "a CPU has no edge to stop at: the framework takes its memory from the system,"
                  " which swaps and then kills",
                  format("{} cuda:0, or a name of rooflab devices; --memory-limit cannot be put on"
                         " a CPU",
                         flag_));
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<TargetDevice> TargetOptions::devices() const {
  const device::Catalog catalog = device_files_.catalog();
  const bool calibrates = calibrations_.model() != analyze::PredictionModel::limit;
  const analyze::KnownCalibrations known = calibrations_.read(catalog, calibrates);
  const std::vector<std::string> wanted = names();
  engine::Capabilities here;
  if (std::ranges::any_of(wanted, is_here)) here = engine::describe(require_torch_worker());
  std::vector<TargetDevice> devices;
  for (const std::string& name : wanted) {
    devices.push_back(find(name, catalog, known, here));
    if (!calibrates) continue;
    if (auto model = calibrations_.model_for(devices.back().device, known)) {
      devices.back().calibrated =
          std::make_shared<const analyze::CalibratedModel>(*std::move(model));
    }
  }
  return devices;
}

TargetDevice TargetOptions::find(const std::string& name, const device::Catalog& catalog,
                                 const analyze::KnownCalibrations& known,
                                 const engine::Capabilities& here) const {
  TargetDevice target;
  target.name = name;
  target.here = is_here(name);
  std::optional<Bytes> memory;
  if (target.here) {
    const record::DeviceIdentity& identity = present_device(here, name);
    std::string note;
    const std::optional<device::Device> described =
        analyze::find_device(calibrations_.catalog_with_probed(catalog), identity, note);
    if (!described) {
      throw Error(ErrorKind::capability,
                  format("no device file describes {} ({})", name, identity.name),
                  "--devices-dir DIR adds device files (docs/formats/device.md), --calibration FILE"
                  " what rooflab probe --save measured of it");
    }
    target.device = *described;
    memory = identity.memory;
  } else {
    const std::vector<device::Device> besides = known.uncatalogued_devices();
    const auto named = std::ranges::find(besides, name, &device::Device::id);
    target.device = named == besides.end() ? catalog.find(name) : *named;
  }
  if (!memory && target.device.memory) {
    memory = Bytes(static_cast<std::int64_t>(target.device.memory->value));
  }
  const std::optional<Bytes> limit = memory_limit();
  if (limit && memory && *limit > *memory) {
    throw Error(ErrorKind::usage,
                format("--memory-limit {} is more than {} has: {}", limit_, name,
                       si(memory->as_double(), "B")),
                "a limit makes a device smaller");
  }
  if (limit) memory = limit;
  if (!memory) {
    throw Error(ErrorKind::input, format("the memory of {} is not known", name),
                "--memory-limit SIZE says how much there is");
  }
  target.memory = *memory;
  return target;
}

}  // namespace rooflab::cli
