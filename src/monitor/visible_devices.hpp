#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rooflab::monitor {

/// Devices that CUDA shows, as indices into `uuids` in CUDA's order. `variable`: value of
/// CUDA_VISIBLE_DEVICES; nullopt shows all.
///
/// The value is a list of indices and of UUIDs or their beginnings; CUDA ends the list at the first
/// entry that names no device (so `-1` or an empty value hides all), or names one twice. Source:
/// CUDA C++ Programming Guide, "CUDA Environment Variables". Indices count in NVML's order, which
/// is CUDA's with CUDA_DEVICE_ORDER=PCI_BUS_ID and wherever all devices are alike.
[[nodiscard]] std::vector<std::size_t> visible_devices(const std::optional<std::string>& variable,
                                                       std::span<const std::string> uuids);

/// The only device whose UUID begins with `beginning`; nullopt for none or several.
[[nodiscard]] std::optional<std::size_t> device_with_uuid(const std::string& beginning,
                                                          std::span<const std::string> uuids);

}  // namespace rooflab::monitor
