#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {
namespace {

using analyze::PredictionModel;

using ByteUnit = std::pair<std::string_view, double>;
constexpr auto units = std::to_array<ByteUnit>({{"kib", 1024.0},
                                                {"mib", 1048576.0},
                                                {"gib", 1073741824.0},
                                                {"tib", 1099511627776.0},
                                                {"kb", 1e3},
                                                {"mb", 1e6},
                                                {"gb", 1e9},
                                                {"tb", 1e12},
                                                {"m", 1e6},
                                                {"g", 1e9},
                                                {"b", 1.0}});

/// `here`: what the worker says, where it was asked.
TargetDevice target_of(const TargetChoice& choice, const std::string& name,
                       const device::Catalog& catalog, const analyze::KnownCalibrations& known,
                       const engine::Capabilities& here) {
  TargetDevice target;
  target.here = names_device_here(name);
  target.name = name;
  std::optional<Bytes> memory;
  if (target.here) {
    const record::DeviceIdentity& identity = present_device(here, name);
    target.device = described_device(identity, target.name, catalog, known);
    memory = identity.memory;
  } else {
    target.device = described_device(name, catalog, known);
  }
  if (!memory) memory = device::memory_of(target.device);
  const std::string flag = flag_of<&TargetChoice::memory_limit>();
  if (choice.memory_limit) {
    const Bytes limit = choice.memory_limit->bytes;
    if (memory && limit > *memory) {
      throw Error(ErrorKind::usage,
                  format("{} {} is more than {} has: {}", flag, choice.memory_limit->text, name,
                         si(memory->as_double(), "B")),
                  format("{} cannot exceed the device's memory", flag));
    }
    memory = limit;
  }
  if (!memory) {
    throw Error(ErrorKind::input, format("the memory of {} is not known", name),
                format("{} SIZE says how much there is", flag));
  }
  target.memory = *memory;
  return target;
}

}  // namespace

predict::LibraryMemory TargetDevice::library(const schedule::Schedule& schedule) const {
  return analyze::library_memory_of(schedule, device, calibrated.get());
}

std::vector<double> TargetDevice::op_times(const schedule::Schedule& schedule) const {
  if (!predicts_time() || calibrated->times.carried()) {
    // Without a limit of this device there is nothing to carry a calibration over by.
    const predict::NetworkLimit limit = predict::limit_of(schedule, device);
    if (!predicts_time() || !limit.time) return predict::op_times(limit);
  }
  return predict::op_times(analyze::predicted_step(schedule, *calibrated));
}

Seconds TargetDevice::step_time(const schedule::Schedule& schedule) const {
  Seconds total;
  for (const double time : op_times(schedule)) total += {time};
  return total;
}

ByteSize ByteSize::from_word(std::string_view word, const Parameter& parameter) {
  const std::string text = lowercase(trim(word));
  std::string_view number = text;
  double factor = 1.0;
  for (const auto& [unit, bytes] : units) {
    if (!text.ends_with(unit)) continue;
    number = trim(std::string_view(text).substr(0, text.size() - unit.size()));
    factor = bytes;
    break;
  }
  const std::optional<double> value = parse_number(number);
  constexpr double most = 1e18;
  if (!value || !(*value * factor >= 1.0) || *value * factor > most) {
    parameter.refuse("a size in bytes", word);
  }
  // No device has so little, and so nobody means bytes.
  constexpr double least = 1e6;
  if (*value * factor < least) {
    throw Error(ErrorKind::usage,
                format("{} {} is {:g} bytes", parameter.flag(), word, *value * factor),
                number.size() == text.size() ? format("did you mean {}GB?", number)
                                             : parameter.example_hint());
  }
  return {std::string(word), Bytes(static_cast<std::int64_t>(std::llround(*value * factor)))};
}

const Parameters& parameters_of(For<TargetChoice>) {
  static const Parameters all = {
      parameter<&TargetChoice::device>("D,...",
                                       "devices of `rooflab devices`, or cuda:N, gpu, here",
                                       {.example = "h200 (rooflab devices), or cuda:0",
                                        .required = true,
                                        .completes = Completion::device}),
      parameter<&TargetChoice::memory_limit>(
          "SIZE", "memory limit, including the driver's context: 8GB",
          {.default_text = "all", .example = "8GB (8e9 bytes) or 80GiB"}),
      part<&TargetChoice::files>(),
      part<&TargetChoice::basis>(parameters_of(For<PredictionBasis>{})
                                     .with<&PredictionBasis::time_model>([](Parameter& each) {
                                       each.words = {"limit", "calibrated"};
                                     })),
  };
  return all;
}

void TargetChoice::check() const {
  basis.check();
  const std::string flag = flag_of<&TargetChoice::device>();
  for (const std::string& name : device) {
    if (!names_device_here(name) || run_device(name, "") != "cpu") continue;
    throw Error(ErrorKind::capability,
                "a CPU has no fixed memory limit: the system swaps, then kills the process",
                format("{} cuda:0, or a name of rooflab devices; {} cannot be put on a CPU", flag,
                       flag_of<&TargetChoice::memory_limit>()));
  }
}

std::vector<TargetDevice> TargetChoice::devices(const Session& session,
                                                const LinkChoice& link) const {
  const device::Catalog catalog = files.catalog();
  const analyze::Predictor predictor(catalog, basis.calibrations.read_known(catalog, true));
  const analyze::KnownCalibrations& known = predictor.calibrations();
  std::vector<std::string> names = device_ids(device, catalog, known, session);
  for (std::string& name : names) {
    if (names_device_here(name)) name = run_device(name, "");
  }
  engine::Capabilities here;
  if (std::ranges::any_of(names, names_device_here))
    here = engine::describe(require_torch_worker(session.prefix));
  std::vector<TargetDevice> devices;
  for (const std::string& name : names) {
    devices.push_back(target_of(*this, name, catalog, known, here));
    devices.back().limits_only = basis.time_model == PredictionModel::limit;
    if (auto model = basis.model_for(devices.back().device, predictor)) {
      model->set(link.known_model_for(devices.back().device, known), link.all_reduce);
      devices.back().calibrated =
          std::make_shared<const analyze::CalibratedModel>(*std::move(model));
    }
  }
  return devices;
}

}  // namespace rooflab::task
