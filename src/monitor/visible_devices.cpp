#include "visible_devices.hpp"

#include <algorithm>
#include <numeric>

#include "rooflab/base/text.hpp"

namespace rooflab::monitor {

std::optional<std::size_t> device_with_uuid(const std::string& beginning,
                                            std::span<const std::string> uuids) {
  if (beginning.empty()) return std::nullopt;
  // Frameworks print the UUID without NVML's `GPU-`.
  const std::string wanted = beginning.starts_with("GPU-") || beginning.starts_with("MIG-")
                                 ? beginning
                                 : "GPU-" + beginning;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    if (!uuids[i].starts_with(wanted)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::vector<std::size_t> visible_devices(const std::optional<std::string>& variable,
                                         std::span<const std::string> uuids) {
  std::vector<std::size_t> shown;
  if (!variable) {
    shown.resize(uuids.size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    return shown;
  }
  for (const std::string& part : split(*variable, ',')) {
    const std::string entry(trim(part));
    std::optional<std::size_t> device;
    if (const std::optional<std::int64_t> index = parse_integer(entry)) {
      if (*index >= 0 && *index < static_cast<std::int64_t>(uuids.size())) {
        device = static_cast<std::size_t>(*index);
      }
    } else if (entry.starts_with("GPU-")) {
      device = device_with_uuid(entry, uuids);
    }
    if (!device || std::ranges::find(shown, *device) != shown.end()) break;
    shown.push_back(*device);
  }
  return shown;
}

}  // namespace rooflab::monitor
