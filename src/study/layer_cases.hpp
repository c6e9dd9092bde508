#pragma once

#include <span>
#include <vector>

#include "study_page.hpp"

namespace rooflab::study {

/// Every layer in the results of the cases with these attributes, as a case of its own: the case's
/// attributes with `layer` and `op`, and of figures what the result says of the layer. Results
/// without layers give none: `summary` has them, and `predict` and `measure` if they are asked.
[[nodiscard]] std::vector<StudyCase> layer_cases(const StudyResults& results,
                                                 const Attributes& where);

}  // namespace rooflab::study
