#pragma once

#include <span>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// measure_report() without its counters: the comparison, then at most one table of op classes.
[[nodiscard]] Document timed_report(std::span<const analyze::MeasuredCase> cases);

}  // namespace rooflab::report
