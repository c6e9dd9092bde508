#pragma once

#include <span>
#include <string>

#include "rooflab/chart/spread.hpp"

namespace rooflab::chart {

/// One strip per case, without any script: its repetitions as dots relative to their median, from
/// the first at the top to the last at the bottom, and the median with its interval. Empty for no
/// rows.
[[nodiscard]] std::string html_spreads(std::span<const Spread> spreads);

/// A curve in a line of text; empty for fewer than two values.
[[nodiscard]] std::string html_spark(const Spark& spark);

}  // namespace rooflab::chart
