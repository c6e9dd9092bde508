#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::accuracy {

/// The rule of version 0.1, for the column `before`: every device was predicted from the H200's
/// measurements, and what carried over was the share of the datasheet's roofline at equal work for
/// each FP32 lane:
///
///     t = t0 + limit(target) / e      e = limit(source, scaled) / (t(source, scaled) - t0)
class FirstRule {
 public:
  /// The calibration must outlive the rule.
  FirstRule(const device::Calibration& calibration, device::Device source);

  /// Seconds; nullopt: version 0.1 had no type of that name, or the source lacks the kind.
  [[nodiscard]] std::optional<double> time_s(const predict::OpShape& shape,
                                             const device::Device& target);

 private:
  struct Found {
    const predict::OpModel* model;
    predict::OpShape shape;  ///< the question as that table understands it
  };
  [[nodiscard]] const predict::OpModel* model(const std::string& kind);
  [[nodiscard]] std::optional<Found> find(const predict::OpShape& shape);
  [[nodiscard]] std::optional<double> carried(const predict::OpShape& shape,
                                              const device::Device& target);

  const device::Calibration& calibration_;
  device::Device source_;
  std::map<std::string, std::unique_ptr<predict::OpModel>> models_;
};

}  // namespace rooflab::accuracy
