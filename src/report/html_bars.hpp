#pragma once

#include <span>
#include <string>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Stacked horizontal bars with their legend, without any script; empty for no bars.
[[nodiscard]] std::string html_bars(std::span<const PageBar> bars, BarScale scale);

}  // namespace rooflab::report
