#pragma once

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// The keys that stand before the record's own: docs/formats/import.md.
[[nodiscard]] Json import_head_json(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
