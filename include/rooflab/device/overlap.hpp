#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

/// Slowdown factors of an all-reduce and concurrent kernels, by number of devices: 1 means as fast
/// as alone. `rooflab probe --links` measures it.
struct Overlap {
  int ranks = 2;
  double product = 1.0;  ///< kernels bound by arithmetic
  double copy = 1.0;     ///< kernels bound by memory
  double all_reduce_beside_product = 1.0;
  double all_reduce_beside_copy = 1.0;

  bool operator==(const Overlap&) const = default;
};

/// The figures that an Overlap consists of.
enum class OverlapFigure : std::uint8_t {
  product,
  copy,
  all_reduce_beside_product,
  all_reduce_beside_copy,
};
constexpr auto names_in_order(For<OverlapFigure>) {
  return names_through<OverlapFigure::all_reduce_beside_copy>(
      "product", "copy", "all_reduce_beside_product", "all_reduce_beside_copy");
}

/// Name of a measured figure: `overlap.copy.2`.
[[nodiscard]] std::string overlap_figure_name(OverlapFigure figure, int ranks);
/// Number of ranks in the name of an overlap figure; nullopt: the name of another figure.
[[nodiscard]] std::optional<int> overlap_ranks(std::string_view name, OverlapFigure figure);

/// Overlaps of a calibration by number of ranks. A number of ranks that lacks a figure is left out.
[[nodiscard]] std::vector<Overlap> overlaps_of(const Calibration& calibration);

}  // namespace rooflab::device
