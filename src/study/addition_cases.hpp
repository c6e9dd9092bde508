#pragma once

#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/study/figures.hpp"

namespace rooflab::study {

/// The vector additions in what `probe` wrote, each a case of its own with the attributes `launch`,
/// `memory` and `elements` besides those of the probe: `time` is the whole with its copies,
/// `device_time` the addition alone. Those with wrong sums are left out.
[[nodiscard]] std::vector<StudyCase> addition_cases(const StudyCase& probe, const Json& result);

}  // namespace rooflab::study
