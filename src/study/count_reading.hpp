#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "own_counts.hpp"

namespace rooflab::study {

/// What a published count is, by our counts of the network.
struct CountReading {
  std::string quantity;
  double value = 0.0;
  bool agrees = false;                ///< with our count of the very case that the row states
  bool is_first_layer = false;        ///< a data gradient more than needed: that of the first layer
  std::optional<CountWindow> window;  ///< nullopt: no rule that was tried gives it
  double multiple = 1.0;              ///< how many times the window
  /// How many of the things that the row or the quantity's name state are otherwise.
  int departures = 0;
  /// What a hardware count that no rule gives would be in MACs. Counters count FLOPs, so that this
  /// alone explains nothing.
  std::optional<CountWindow> as_macs{};
  CountWindow nearest;  ///< what it was held against when no rule gives it
  double ratio = 1.0;   ///< to that
};

/// Reads `macs`, `flops`, `estimated_flops`, `counted_flops`, `forward_flops` of the row; nothing
/// of what our counts cannot tell.
[[nodiscard]] std::vector<CountReading> readings_of_counts(const PublishedCase& published,
                                                           const OwnCounts& own);

/// Tells three forward passes from a step without the first layer's data gradient, which are 2 to
/// 4 % apart.
inline constexpr double exact_tolerance = 0.005;

/// How near a count must come to a window to be taken for it.
[[nodiscard]] double tolerance_of(std::string_view quantity);

}  // namespace rooflab::study
