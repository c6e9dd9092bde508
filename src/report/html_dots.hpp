#pragma once

#include <span>
#include <string>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A row for each case on one logarithmic axis of time, without any script; empty for no rows.
[[nodiscard]] std::string html_dots(std::span<const PageDot> dots);

}  // namespace rooflab::report
