#pragma once

#include "rooflab/analyze/comparison.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Pairs of results with speed-up, interval and verdict; what found no partner is named below.
/// Its JSON is described in docs/formats/measure.md.
[[nodiscard]] Document compare_report(const analyze::ComparisonList& list);

}  // namespace rooflab::report
