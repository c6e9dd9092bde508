#pragma once

#include "case_request.hpp"
#include "plan.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::study {

/// Resolves a study's word for a device on this machine. Throws Error (input) at `location` for a
/// name that the catalog does not know.
[[nodiscard]] Place place_of(const std::string& word, const Location& location,
                             const Machine& machine, const device::Catalog& catalog);

/// Decides what this machine runs for a case: sets `mode`, `note` and `skipped`. A case that is
/// predicted instead uses the catalog's device, to which `place` is then set.
void settle_mode(PlannedCase& planned, const CaseGroup& group, const Choice& choice, Place& place,
                 const Machine& machine);

}  // namespace rooflab::study
