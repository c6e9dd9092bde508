#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/task/device_choice.hpp"

namespace rooflab::task {

std::string run_name(const record::DeviceIdentity& device) {
  return device.kind == "cpu" ? device.kind : format("{}:{}", device.kind, device.index);
}

bool names_device_here(std::string_view text) {
  const std::string name = lowercase(trim(text));
  return name == "cpu" || name == "cuda" || name == "gpu" || name == "here" ||
         name.starts_with("cuda:");
}

std::string run_device(std::string_view text, const std::string& hint) {
  std::string name = lowercase(trim(text));
  if (name == "cpu") return name;
  if (name == "cuda" || name == "gpu") return "cuda:0";
  if (name == "here") {
    const auto worker = engine::find_worker(engine::torch_worker);
    const bool gpu = worker && engine::describe(*worker).devices.size() > 1;
    return gpu ? "cuda:0" : "cpu";
  }
  if (name.starts_with("cuda:")) {
    const std::optional<std::int64_t> index = parse_integer(name.substr(5));
    if (index && *index >= 0 && *index < 1024) return format("cuda:{}", *index);
  }
  throw Error(ErrorKind::usage, format("--device takes cpu, cuda or cuda:N, not '{}'", trim(text)),
              hint);
}

const record::DeviceIdentity& present_device(const engine::Capabilities& worker,
                                             std::string_view name) {
  const auto found = std::ranges::find(worker.devices, name, run_name);
  if (found != worker.devices.end()) return *found;
  std::vector<std::string> names;
  for (const record::DeviceIdentity& device : worker.devices) {
    names.push_back(format("{} ({})", run_name(device), device.name));
  }
  std::string hint =
      format("the worker can run on: {}", names.empty() ? "none" : join(names, ", "));
  for (const std::string& missing : worker.missing) hint += format("; {}", missing);
  throw Error(ErrorKind::capability, format("{} is not here", name), hint);
}

engine::Capabilities require_run_devices(std::span<const std::string> devices,
                                         const std::filesystem::path& worker) {
  const auto is_gpu = [](const std::string& device) { return device != "cpu"; };
  // Asking takes a second or more: only where it matters.
  if (std::ranges::none_of(devices, is_gpu)) return {};
  engine::Capabilities here = engine::describe(worker);
  for (const std::string& device : devices) (void)present_device(here, device);
  return here;
}

Precision precision_here(const engine::Capabilities& worker, std::string_view device,
                         Precision asked) {
  const auto found = std::ranges::find(worker.devices, device, run_name);
  return found == worker.devices.end() ? asked : record::precision_on(*found, asked);
}

}  // namespace rooflab::task
