#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

/// How much longer an all-reduce and the kernels beside it take than alone, over a number of
/// devices: 1 is as long as alone. `rooflab probe --links` measures it.
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
/// The number of ranks in such a name; nullopt: another figure's.
[[nodiscard]] std::optional<int> overlap_ranks(std::string_view name, OverlapFigure figure);

/// What a calibration holds, by number of ranks. A number that lacks one of the figures is left
/// out.
[[nodiscard]] std::vector<Overlap> overlaps_of(const Calibration& calibration);

}  // namespace rooflab::device
