#pragma once

#include <optional>
#include <span>
#include <string>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// What is shown beside the comparison of the cases.
struct PredictView {
  bool layers = false;       ///< a table of layers for every case, in text too
  bool explain = false;      ///< what each predicted time is made of, in text too
  std::string command = {};  ///< the command line that made it
};

/// All cases side by side: limit, prediction, ideal, memory, verdict; on a page also where the
/// predicted time goes, rooflines by device and layers by case. The JSON has every case with its
/// layers (docs/formats/predict.md).
[[nodiscard]] Document predict_view(std::span<const analyze::CaseResult> cases,
                                    const PredictView& view = {});

/// The layers of one case with their limit and, where there is a prediction, the device's time.
[[nodiscard]] Table layer_limit_table(const analyze::CaseResult& result);

/// What a calibrated prediction is made of: kinds of ops with their times and deviations, then the
/// device's and the host's sums and the step. nullopt for a case without one.
[[nodiscard]] std::optional<Table> explain_table(const analyze::CaseResult& result);

}  // namespace rooflab::report
