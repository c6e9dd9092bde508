#pragma once

#include <span>
#include <string>

#include "rooflab/chart/strip.hpp"

namespace rooflab::chart {

/// Strips with one legend, without any script; `command`: writes a file for a viewer of timelines;
/// empty: their trace is such a file. Empty for no strips.
[[nodiscard]] std::string html_strips(std::span<const Strip> strips, const std::string& command);

}  // namespace rooflab::chart
