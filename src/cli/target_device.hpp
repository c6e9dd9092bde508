#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibration_options.hpp"
#include "command.hpp"
#include "device_options.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/partition_plan.hpp"

namespace rooflab::cli {

/// A device that a network is fitted to or cut over: of the catalog, or one that is here.
struct TargetDevice {
  std::string name;  ///< as the user named it: `h200`, `cuda:0`
  bool here = false;
  device::Device device;
  Bytes memory;  ///< of one that is here its own, else its file's; the limit where that is less
  std::shared_ptr<const analyze::CalibratedModel> calibrated;  ///< nullptr: there is none

  [[nodiscard]] std::optional<predict::LibraryMemory> library(
      const schedule::Schedule& schedule) const;
  /// Of every op; of the calibrated model, else of the limit.
  [[nodiscard]] std::vector<double> op_times(const schedule::Schedule& schedule) const;
  [[nodiscard]] Seconds step_time(const schedule::Schedule& schedule) const;
};

/// Flags that say which devices, with how much of their memory, and what predictions rest on.
class TargetOptions {
 public:
  /// `flag` is `--device` or `--devices`.
  void add_to(Command command, const std::string& flag, const std::string& help);

  /// Throws Error (usage) for a value that a flag does not take.
  void check() const;
  /// Those named. Asks the worker about `cuda:N`: Error (capability) when it is not here, or no
  /// file describes it; Error (usage) for an unknown name and for a CPU.
  [[nodiscard]] std::vector<TargetDevice> devices() const;
  /// Of `--memory-limit`.
  [[nodiscard]] std::optional<Bytes> memory_limit() const;

 private:
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] TargetDevice find(const std::string& name, const device::Catalog& catalog,
                                  const analyze::KnownCalibrations& known,
                                  const engine::Capabilities& here) const;

  std::string names_;
  std::string flag_;
  std::string limit_;
  DeviceOptions device_files_;
  CalibrationOptions calibrations_;
};

}  // namespace rooflab::cli
