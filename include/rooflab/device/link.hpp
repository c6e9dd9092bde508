#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/described.hpp"

namespace rooflab::device {

struct Device;

/// What joins devices, as its standard or datasheet says. data/links.toml, compiled in.
struct Link {
  std::string id;          ///< `nvlink4`, `pcie4`, `10gbe`, `ib-ndr`
  std::string name;        ///< for people
  double bandwidth = 0.0;  ///< one direction of one device, B/s
  double latency_s = 0.0;  ///< latency of one message between neighbours, software included
  std::string source;
  std::string latency_source;
  /// That the collective library's kernels keep to themselves while they run; nullopt: not known.
  std::optional<int> multiprocessors;
  std::string multiprocessors_source;
};
[[nodiscard]] std::span<const Field> fields_of(For<Link>);

/// All, slowest first.
[[nodiscard]] const std::vector<Link>& links();
/// Throws Error (usage) with the nearest name, or all, as the hint.
[[nodiscard]] const Link& link_from_name(std::string_view name);
/// The link that a device's datasheet names (NVLink before PCIe), with the device's own bandwidth
/// where it has fewer lanes; it lives as long as the program. nullptr when it names none.
[[nodiscard]] const Link* link_of(const Device& device);

}  // namespace rooflab::device
