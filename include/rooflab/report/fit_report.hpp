#pragma once

#include "rooflab/analyze/fit_result.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// The predicted boundary beside the found one, the parts of the memory there, the tries. The JSON
/// has `points` and `tries`.
[[nodiscard]] Document fit_report(const analyze::FitResult& result);

}  // namespace rooflab::report
