#pragma once

#include <string_view>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::report {

/// What kind of measurement it is: `measured`, `measured, with counters`.
[[nodiscard]] std::string_view kind_of(const analyze::MeasuredCase& measured);

/// Section with a row per result: predicted, measured, imported.
[[nodiscard]] page::PageSection result_section(const analyze::ResultSet& results);

}  // namespace rooflab::report
