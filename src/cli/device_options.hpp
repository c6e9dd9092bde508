#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::cli {

/// Flags that say which devices: the built-in ones and a folder of the user's.
class DeviceOptions {
 public:
  /// `--devices-dir`, for every command that knows devices.
  void add_folder_to(Command command);
  /// `--device` and `--ppp` besides.
  void add_to(Command command, bool device_required = true);

  [[nodiscard]] bool any_named() const { return !names_.empty(); }

  [[nodiscard]] device::Catalog catalog() const;
  /// The devices named, in the order given. `besides` may be named too, by their ids: devices that
  /// no file describes.
  [[nodiscard]] std::vector<device::Device> devices(
      std::span<const device::Device> besides = {}) const;
  [[nodiscard]] bool any_percent() const { return !percent_.empty(); }
  [[nodiscard]] predict::PercentOfPeak percent_of_peak() const;
  [[nodiscard]] const std::string& percent() const { return percent_; }  ///< as given
  /// The flags that were given, without the device, for the command line of one case.
  [[nodiscard]] std::vector<std::string> words() const;

 private:
  std::vector<std::string> names_;
  std::string percent_;
  std::string folder_;
};

}  // namespace rooflab::cli
