#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rooflab/base/arithmetic_path.hpp"
#include "rooflab/device/calibration.hpp"

/// What the names of a probe's figures mean.
namespace rooflab::device {

/// A name of three parts such as `gemm.tf32_tensor.4096`.
struct FigureName {
  std::string group;                   ///< `dram`, `gemm`, `peak`, ...: up to the first dot
  std::optional<ArithmeticPath> path;  ///< named by the second part
  std::string size;                    ///< the third part; may be empty
};
[[nodiscard]] FigureName figure_name(std::string_view name);

/// For people: `memory, read`, `TF32 tensor, matrix product`; an unknown name as it is.
[[nodiscard]] std::string label_of_figure(std::string_view name);

/// The datasheet's figure to compare this one with: the bandwidth for `dram.*`, the peak of that
/// path for `gemm.*`, `peak.*` and `sustained.*`.
[[nodiscard]] std::optional<double> datasheet_figure(std::string_view name, const Device* known);

}  // namespace rooflab::device
