#pragma once

#include <span>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// The comparison of all cases: limit, ideal, memory, verdict. Its JSON, one entry a case with its
/// layers, is described in docs/formats/predict.md.
[[nodiscard]] Document predict_report(std::span<const analyze::CaseResult> cases);

/// The layers of one case with their limit, longest column for HTML pages and `--layers`.
[[nodiscard]] Table layer_limit_table(const analyze::CaseResult& result);

}  // namespace rooflab::report
