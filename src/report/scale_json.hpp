#pragma once

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// docs/formats/scale.md describes it.
[[nodiscard]] Json scale_json(const analyze::ScalingStudy& study);

}  // namespace rooflab::report
