#pragma once

#include <span>
#include <string>

#include "rooflab/chart/bars.hpp"

namespace rooflab::chart {

/// Stacked horizontal bars with their legend, without any script; empty for no bars.
[[nodiscard]] std::string html_bars(std::span<const Bar> bars, BarScale scale);

}  // namespace rooflab::chart
