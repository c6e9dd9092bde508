#pragma once

#include <span>
#include <string>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A strip for each case: its repetitions as dots over their common median, from the first above to
/// the last below, the median and its interval, without any script; empty for no rows.
[[nodiscard]] std::string html_spreads(std::span<const PageSpread> spreads);

/// A curve in a line of text; empty for fewer than two values.
[[nodiscard]] std::string html_spark(const PageSpark& spark);

}  // namespace rooflab::report
