#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/device/device.hpp"

namespace rooflab::device {

/// Reads one device file; docs/formats/device.md describes the format.
///
/// `file` is only used in locations. Throws Error (input) with file:line:column on wrong syntax, an
/// unknown key, a missing id, name or vendor, a figure without unit or source, a unit that the key
/// does not take (the hint lists those it takes), and a figure that is not above zero.
[[nodiscard]] Device read_device(std::string_view text, std::string file);

/// What a device is called, without its figures.
struct DeviceNames {
  std::string id;
  std::string name;
  std::vector<std::string> aliases;
};

/// Reads the first paragraph only, where built-in files keep their names; twenty times faster than
/// read_device, so that looking up one device does not read all. Same errors.
[[nodiscard]] DeviceNames read_device_names(std::string_view text, std::string file);

}  // namespace rooflab::device
