#pragma once

#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/counted_layer.hpp"

namespace rooflab::analyze {

/// Where a layer's points lie above the device's roofs, and why.
[[nodiscard]] std::vector<RoofBreach> breaches_of(const CountedLayer& layer,
                                                  const CaseResult& model);

}  // namespace rooflab::analyze
