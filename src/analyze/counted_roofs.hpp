#pragma once

#include <optional>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/counted_layer.hpp"

namespace rooflab::analyze {

/// Where a layer's points lie above the device's roofs, and why.
[[nodiscard]] std::vector<RoofBreach> breaches_of(const CountedLayer& layer,
                                                  const CaseResult& model);

/// The path of a tensor figure among a device's roofs; nullopt for integers.
[[nodiscard]] std::optional<ArithmeticPath> path_of(record::KernelFigure figure);

}  // namespace rooflab::analyze
