#pragma once

#include <string>
#include <vector>

#include "calibration_options.hpp"
#include "command.hpp"
#include "device_options.hpp"
#include "model_options.hpp"
#include "rooflab/analyze/case_result.hpp"

namespace rooflab::analyze {
struct ScalingSeries;
}

namespace rooflab::cli {

class ScalingOptions;

/// Networks times batch sizes times devices: what predict and roofline work on.
class CaseOptions {
 public:
  /// Limits and predictions.
  void add_to(Command command);
  /// Limits alone, for a command that takes records among the models: they bring their device with
  /// them.
  void add_with_records_to(Command command);

  /// Takes the files of results (.json, .csv, .gz, .ncu-rep) and folders from the models.
  [[nodiscard]] std::vector<std::string> take_records();

  /// Every combination, by model, then batch, then device; on `fallback` where no device was named,
  /// else on the devices of the user's calibrations.
  [[nodiscard]] std::vector<analyze::CaseResult> run(
      const std::vector<device::Device>& fallback = {}) const;

  /// Every combination in data-parallel training, predicted. Throws Error (usage) for another phase
  /// and where there is no expected time to go by.
  [[nodiscard]] std::vector<analyze::ScalingSeries> run_scaled(const ScalingOptions& scaling) const;

  /// The devices named; none where the flag was not given.
  [[nodiscard]] std::vector<device::Device> devices() const;
  [[nodiscard]] device::Catalog catalog() const { return devices_.catalog(); }
  /// The user's and the built-in ones.
  [[nodiscard]] analyze::KnownCalibrations calibrations() const;

  /// Whether an incomplete case is a failure.
  [[nodiscard]] bool strict() const { return network_.strict(); }

 private:
  [[nodiscard]] std::vector<device::Device> chosen_devices(
      const analyze::KnownCalibrations& known, const std::vector<device::Device>& fallback) const;
  [[nodiscard]] analyze::CaseResult analyze(const schedule::Schedule& schedule,
                                            const device::Device& device,
                                            const analyze::CalibratedModel* calibrated) const;
  /// That gives this one case again.
  [[nodiscard]] std::string command_line(const analyze::CaseResult& result) const;

  std::vector<std::string> models_;
  ModelOptions network_;
  DeviceOptions devices_;
  CalibrationOptions calibrations_;
  bool predicts_ = false;
};

/// Every op counted, every figure known.
[[nodiscard]] bool is_complete(const std::vector<analyze::CaseResult>& cases);

}  // namespace rooflab::cli
