#pragma once

#include <span>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// All that `measure --format json` writes: docs/formats/measure.md.
[[nodiscard]] Json measure_json(std::span<const analyze::MeasuredCase> cases);

}  // namespace rooflab::report
