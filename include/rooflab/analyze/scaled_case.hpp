#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/predict/scaling.hpp"

namespace rooflab::analyze {

/// One network in data-parallel training on several numbers of one device, predicted.
struct ScaledCase {
  std::string model;
  device::Device device;
  Precision precision = Precision::fp32;
  Scaling scaling = Scaling::weak;
  PredictionModel prediction_model = PredictionModel::calibrated;
  std::string link;             ///< id in the list of links, or `measured`
  double link_bandwidth = 0.0;  ///< B/s, one direction; of a measured one fitted
  double link_latency_s = 0.0;
  std::string algorithm;  ///< `automatic`, `ring`, `tree`
  /// One device of the same study (its batch is that of a device, or the global one): what
  /// speed-ups are against.
  predict::ScaledStep one;
  std::vector<predict::ScaledStep> steps;  ///< in the order asked for
  std::vector<std::string> notes;
  std::string command;

  /// Weak: images a second over those of one device; strong: its time over this one. Both are the
  /// ratio of images a second.
  [[nodiscard]] double speedup(const predict::ScaledStep& step) const;
  [[nodiscard]] double efficiency(const predict::ScaledStep& step) const;
  /// Of the communication behind other work; nullopt: there is none.
  [[nodiscard]] static std::optional<double> hidden_share(const predict::ScaledStep& step);
  [[nodiscard]] bool has_interval(const predict::ScaledStep& step) const {
    return step.low < step.high;
  }
};

}  // namespace rooflab::analyze
