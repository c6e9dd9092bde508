#pragma once

#include <optional>

#include "rooflab/analyze/imported_case.hpp"

namespace rooflab::analyze {

/// Says which figure of the case is furthest above a roof of its device, beyond what clocks and
/// datasheets leave open; nullopt: none is.
[[nodiscard]] std::optional<Note> above_roof_note(const ImportedCase& imported);

}  // namespace rooflab::analyze
