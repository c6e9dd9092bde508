#pragma once

#include <span>
#include <string>

#include "rooflab/chart/dots.hpp"

namespace rooflab::chart {

/// One row per dot on a common logarithmic axis, without any script; empty for no rows.
[[nodiscard]] std::string html_dots(std::span<const Dot> dots, DotAxis kind = DotAxis::time);

/// Formats a value on an axis of ratios: `0.163x`, `62.1x`, `1,960x`.
[[nodiscard]] std::string ratio_text(double ratio);

}  // namespace rooflab::chart
