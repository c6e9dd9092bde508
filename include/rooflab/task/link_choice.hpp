#pragma once

#include <string>

#include "rooflab/base/parameter.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/scaling.hpp"

namespace rooflab::task {

/// What joins the devices of a run.
struct LinkChoice {
  std::string link;
  predict::AllReduce all_reduce = predict::AllReduce::automatic;

  /// Throws Error (usage) for an unknown link.
  void check() const;
  /// The link asked for; else the device's measured one (`calibration` is its own, or nullptr),
  /// else its datasheet's. Throws Error (usage) where all are missing.
  [[nodiscard]] predict::LinkModel model_for(const device::Device& device,
                                             const device::Calibration* calibration) const;
};
const Parameters& parameters_of(For<LinkChoice>);

}  // namespace rooflab::task
