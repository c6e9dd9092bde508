#pragma once

#include <optional>
#include <span>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// The comparison of all cases: limit, prediction, ideal, memory, verdict. Its JSON, one entry a
/// case with its layers, is described in docs/formats/predict.md.
[[nodiscard]] Document predict_report(std::span<const analyze::CaseResult> cases);

/// The layers of one case with their limit and, where there is a prediction, the device's time.
[[nodiscard]] Table layer_limit_table(const analyze::CaseResult& result);

/// What a calibrated prediction is made of: kinds of ops with their times and deviations, then the
/// device's and the host's sums and the step. nullopt for a case without one.
[[nodiscard]] std::optional<Table> explain_table(const analyze::CaseResult& result);

}  // namespace rooflab::report
