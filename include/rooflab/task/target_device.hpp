#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/quantity.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/task/device_choice.hpp"

namespace rooflab::task {

/// A device that a network is fitted to or cut over: of the catalog, or one that is here.
struct TargetDevice {
  std::string name;  ///< the user's name for it: `h200`, `cuda:0`
  bool here = false;
  device::Device device;
  Bytes memory;  ///< its own where it is here, else its file's; the limit where that is less
  std::shared_ptr<const analyze::CalibratedModel> calibrated;  ///< nullptr without one

  [[nodiscard]] std::optional<predict::LibraryMemory> library(
      const schedule::Schedule& schedule) const;
  /// Times of every op, by the calibrated model, else by the limit.
  [[nodiscard]] std::vector<double> op_times(const schedule::Schedule& schedule) const;
  [[nodiscard]] Seconds step_time(const schedule::Schedule& schedule) const;
};

/// A number of bytes: `8GB`, `80 GiB`, `8000000000`.
struct ByteSize {
  std::string text;
  Bytes bytes;

  [[nodiscard]] static ByteSize from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const { return text; }
};

/// Which devices, how much of their memory, and what predictions rest on.
struct TargetChoice {
  std::vector<std::string> device;
  std::optional<ByteSize> memory_limit;
  DeviceFiles files;
  PredictionBasis basis;

  /// Throws Error (usage, capability) for a name that can be no target.
  void check() const;
  /// Those named. Asks the worker about GPUs that are here: Error (capability) when one is not
  /// there, or no file describes it; Error (usage) for an unknown name.
  [[nodiscard]] std::vector<TargetDevice> devices() const;
};
const Parameters& parameters_of(For<TargetChoice>);

}  // namespace rooflab::task
