#pragma once

#include "command.hpp"
#include "rooflab/task/device_choice.hpp"

namespace rooflab::cli {

/// task::DeviceFiles of a command whose flags are still told to the parser by itself.
class DeviceOptions {
 public:
  void add_folder_to(Command command) {
    command
        .add_option("--devices-dir", files_.devices_dir,
                    "folder of device files that add to the built-in ones")
        .type_name("DIR");
  }
  [[nodiscard]] device::Catalog catalog() const { return files_.catalog(); }

 private:
  task::DeviceFiles files_;
};

}  // namespace rooflab::cli
