#pragma once

#include "case_request.hpp"
#include "place.hpp"
#include "rooflab/study/plan.hpp"

namespace rooflab::study {

/// What this machine does of what was asked: sets `mode`, `note` and `skipped`. What is predicted
/// instead is so for the catalogue's device, which `place` then is.
void settle_mode(PlannedCase& planned, const CaseGroup& group, const Choice& choice, Place& place,
                 const Machine& machine);

}  // namespace rooflab::study
