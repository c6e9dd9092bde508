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
  record::DeviceIdentity identity = {};
  std::optional<std::string> id = {};  ///< id in the catalog; nullopt: not there
};
[[nodiscard]] std::span<const Field> fields_of(For<LocalDevice>);

/// Devices and programs of this machine.
struct Machine {
  record::Environment host = {};
  std::optional<std::string> cuda_version = {};
  std::optional<std::string> no_gpu = {};                          ///< reason why no GPU was found
  std::vector<LocalDevice> devices = {};                           ///< the CPU first
  std::map<std::string, std::optional<std::string>> workers = {};  ///< paths by name of the program
};
[[nodiscard]] std::span<const Field> fields_of(For<Machine>);

/// Finds processors, GPUs, their driver and the workers of this machine.
[[nodiscard]] Machine detected_machine(const device::Catalog& catalog);

}  // namespace rooflab::task
