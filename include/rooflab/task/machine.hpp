#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/record/environment.hpp"

namespace rooflab::task {

/// A device of this machine.
struct LocalDevice {
  record::DeviceIdentity identity;
  std::optional<std::string> id;  ///< in the catalog; nullopt: it is not there
};
[[nodiscard]] std::span<const Field> fields_of(For<LocalDevice>);

/// What is in this machine.
struct Machine {
  record::Environment host;
  std::optional<std::string> cuda_version;
  std::optional<std::string> no_gpu;                          ///< why no GPU was found
  std::vector<LocalDevice> devices;                           ///< the CPU first
  std::map<std::string, std::optional<std::string>> workers;  ///< programs by name
};
[[nodiscard]] std::span<const Field> fields_of(For<Machine>);

/// Looks for processors, GPUs, their driver and the workers of this machine.
[[nodiscard]] Machine detected_machine(const device::Catalog& catalog);

}  // namespace rooflab::task
