#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/calibrations.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/record/environment.hpp"

/// The groups of members that say which devices are meant and what predictions for them rest on.
namespace rooflab::task {

/// The built-in device files and a folder of the user's.
struct DeviceFiles {
  std::string devices_dir;

  [[nodiscard]] device::Catalog catalog() const;
};
const Parameters& parameters_of(For<DeviceFiles>);

/// Calibrations of the user's, before the built-in ones.
struct CalibrationFiles {
  std::vector<std::string> calibration;

  /// The user's files; `built_in`: and the built-in ones. Throws Error (input) for a wrong file.
  [[nodiscard]] analyze::KnownCalibrations read(const device::Catalog& catalog,
                                                bool built_in) const;
  /// What predictions beside measured times rest on: these and the built-in calibrations, with the
  /// issue costs of Rooflab's own worker where the machine was probed. Throws as read() does.
  [[nodiscard]] analyze::CalibrationLookup lookup(const device::Catalog& catalog) const;
  /// The catalog and the devices of the files that it does not know: a CPU, say, with what was
  /// measured as its roofs. Throws as read() does.
  [[nodiscard]] device::Catalog with_probed(device::Catalog catalog) const;
};
const Parameters& parameters_of(For<CalibrationFiles>);

/// Which time is predicted, and whose host issues the ops.
struct PredictionBasis {
  std::optional<analyze::PredictionModel> time_model;  ///< nullopt: the best that there is
  std::string issued_by;  ///< empty: pytorch, of the nearest calibration that has its costs
  CalibrationFiles calibrations;

  /// What predictions for the device rest on. nullopt where no calibration fits: then an Error
  /// (usage) if the calibrated model was asked for.
  [[nodiscard]] std::optional<analyze::CalibratedModel> model_for(
      const device::Device& device, const analyze::KnownCalibrations& known) const;
};
const Parameters& parameters_of(For<PredictionBasis>);

/// PALEO's percent of peak: `0.62`, `62%,80%`, or the name of a published setting.
struct PercentChoice {
  std::string text;
  predict::PercentOfPeak percent;

  [[nodiscard]] static PercentChoice from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const { return text; }
};

/// The device that a name stands for: one of the catalog, a probed one by the id of its
/// calibration, or one that is here (`cpu`, `cuda:0`, `gpu`, `here`) as its device file or its
/// calibration describes it. Throws Error (usage, capability).
[[nodiscard]] device::Device described_device(const std::string& name,
                                              const device::Catalog& catalog,
                                              const analyze::KnownCalibrations& known);
/// The same of one that is here, as it names itself.
[[nodiscard]] device::Device described_device(const record::DeviceIdentity& identity,
                                              const std::string& name, device::Catalog catalog,
                                              const analyze::KnownCalibrations& known);

}  // namespace rooflab::task
