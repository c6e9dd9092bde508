#pragma once

#include <optional>
#include <vector>

#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/task/predict.hpp"

namespace rooflab::task {

/// Every combination in data-parallel training. `calibrated`: the model of each device; nullopt: at
/// the percent of the peaks. Throws Error (usage) where there is neither.
[[nodiscard]] std::vector<analyze::ScalingSeries> scaled_cases(
    const PredictRequest& request, const std::vector<device::Device>& devices,
    std::vector<std::optional<analyze::CalibratedModel>> calibrated,
    const analyze::KnownCalibrations& known);

}  // namespace rooflab::task
