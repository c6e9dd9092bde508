#pragma once

#include "rooflab/analyze/fit_result.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// The predicted boundary beside the found one, the parts of the memory there, the tries.
[[nodiscard]] Document fit_view(const analyze::FitResult& result);

}  // namespace rooflab::report
