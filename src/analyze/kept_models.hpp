#pragma once

#include <list>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "rooflab/analyze/predict_case.hpp"

namespace rooflab::analyze {

/// The calibrations with the devices that they were measured on.
[[nodiscard]] std::vector<predict::CalibratedDevice> with_devices(const KnownCalibrations& known);

/// KnownCalibrations::model_for() for these calibrations; `described`: all devices of the catalog.
[[nodiscard]] std::optional<CalibratedModel> calibrated_model(
    const device::Device& device, std::vector<predict::CalibratedDevice> calibrated,
    const std::vector<device::Device>& described, const IssuerChoice& issuer);

/// Models of devices, made once, for several threads. Models share what they fitted to a
/// calibration. The oldest go when there are many.
class KeptModels {
 public:
  explicit KeptModels(const KnownCalibrations& known);

  /// The model of KnownCalibrations::model_for(), with its errors; nullptr: no calibration fits.
  [[nodiscard]] std::shared_ptr<const CalibratedModel> model_for(const device::Device& device,
                                                                 const IssuerChoice& issuer) const;

 private:
  struct Kept {
    device::Device device;
    IssuerChoice issuer;
    std::shared_ptr<const CalibratedModel> model;
  };
  [[nodiscard]] const Kept* find(const device::Device& device, const IssuerChoice& issuer) const;

  std::vector<predict::CalibratedDevice> calibrated_;
  std::vector<device::Device> described_;
  mutable std::shared_mutex mutex_;  ///< guards kept_
  mutable std::list<Kept> kept_;     ///< the newest first
};

}  // namespace rooflab::analyze
