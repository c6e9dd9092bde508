#pragma once

#include <span>
#include <vector>

#include "study_results.hpp"

namespace rooflab::study {

/// Every layer in the results of the cases with these attributes as a separate case: the case's
/// attributes with `layer` and `op`, and the figures of the layer. Results without layers give
/// none; `summary` always has layers, `predict` and `measure` on request.
[[nodiscard]] std::vector<StudyCase> layer_cases(const StudyResults& results,
                                                 const Attributes& where);

}  // namespace rooflab::study
