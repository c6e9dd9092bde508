#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/toml.hpp"

namespace rooflab::device {

/// A unit that a file may use. Base units are N * times / over: microseconds are exact only as a
/// quotient.
struct Unit {
  std::string_view symbol;
  double times = 1.0;
  double over = 1.0;
};

/// Reads `{ value, unit, source }`: the figure in base units, and its source. Throws Error (input)
/// unless the value is above zero, the unit one of `units` and the source given.
[[nodiscard]] std::pair<double, std::string> read_sourced_figure(const TomlTable& table,
                                                                 std::span<const Unit> units);

}  // namespace rooflab::device
