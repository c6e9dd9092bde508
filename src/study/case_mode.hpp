#pragma once

#include "case_request.hpp"
#include "plan.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::study {

/// What a study's word for a device means on this machine. Throws Error (input) at `location` for
/// a name that the catalog does not know.
[[nodiscard]] Place place_of(const std::string& word, const Location& location,
                             const Machine& machine, const device::Catalog& catalog);

/// What this machine does of what was asked: sets `mode`, `note` and `skipped`. What is predicted
/// instead is so for the catalogue's device, which `place` then is.
void settle_mode(PlannedCase& planned, const CaseGroup& group, const Choice& choice, Place& place,
                 const Machine& machine);

}  // namespace rooflab::study
