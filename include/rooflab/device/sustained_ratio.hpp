#pragma once

#include <optional>

#include "rooflab/base/arithmetic_path.hpp"

namespace rooflab::device {

struct Device;

/// Share of its clock that a board keeps in long, large products; 1 is the clock of the peak.
struct SustainedRatio {
  enum class Basis {
    figure,  ///< `sustained_clock` or `[sustained]` of the device file
    rule,    ///< a rule fitted to the devices that have such figures
  };

  double value = 1.0;      ///< above 0, at most 1
  double deviation = 0.0;  ///< standard deviation of its logarithm
  Basis basis = Basis::rule;
};

/// The share on a path, without the library's efficiency: to be multiplied onto a peak. Vector
/// lanes draw less power than tensor cores, so the two have rules of their own; fp64_tensor and
/// fp32_matrix follow the vector rule. nullopt where neither a figure nor a rule applies: a board
/// without base clock or power, or of a maker other than NVIDIA without figures.
/// Formulas, fit and errors: docs/formats/device.md, sustained_ratio.cpp.
///
///     if (const auto kept = sustained_ratio(device, ArithmeticPath::bf16_tensor_fp32)) {
///       rate = *peak(device, path) * kept->value;
///     }
[[nodiscard]] std::optional<SustainedRatio> sustained_ratio(
    const Device& device, ArithmeticPath path = ArithmeticPath::fp32_vector);

}  // namespace rooflab::device
