#include "run_device.hpp"

#include <algorithm>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/engine/worker.hpp"

namespace rooflab::cli {
namespace {

/// `cpu (Intel ...), cuda:0 (NVIDIA H200)`.
std::string device_list(const engine::Capabilities& worker) {
  std::vector<std::string> names;
  for (const record::DeviceIdentity& device : worker.devices) {
    const std::string name =
        device.kind == "cpu" ? device.kind : format("{}:{}", device.kind, device.index);
    names.push_back(format("{} ({})", name, device.name));
  }
  return names.empty() ? "none" : join(names, ", ");
}

}  // namespace

std::string run_device(std::string_view text, const std::string& hint) {
  const std::string name = lowercase(trim(text));
  if (name == "cpu") return name;
  if (name == "cuda") return "cuda:0";
  if (name.starts_with("cuda:")) {
    const std::optional<std::int64_t> index = parse_integer(name.substr(5));
    if (index && *index >= 0 && *index < 1024) return format("cuda:{}", *index);
  }
  throw Error(ErrorKind::usage, format("--device takes cpu, cuda or cuda:N, not '{}'", trim(text)),
              hint);
}

void require_run_devices(std::span<const std::string> devices,
                         const std::filesystem::path& worker) {
  const auto is_gpu = [](const std::string& device) { return device != "cpu"; };
  // Asking takes a second or more: only where it matters.
  if (std::ranges::none_of(devices, is_gpu)) return;
  const engine::Capabilities here = engine::describe(worker);
  for (const std::string& wanted : devices) {
    const bool present = std::ranges::any_of(here.devices, [&](const record::DeviceIdentity& each) {
      return wanted == "cpu" ? each.kind == "cpu"
                             : wanted == format("{}:{}", each.kind, each.index);
    });
    if (present) continue;
    std::string hint = format("the worker can run on: {}", device_list(here));
    for (const std::string& missing : here.missing) hint += format("; {}", missing);
    throw Error(ErrorKind::capability, format("there is no {} here", wanted), hint);
  }
}

}  // namespace rooflab::cli
