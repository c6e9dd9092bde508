#pragma once

#include <optional>

#include "rooflab/analyze/imported_case.hpp"

namespace rooflab::analyze {

/// Note on the figure of the case that is furthest above a roof of its device, beyond the
/// uncertainty of clocks and datasheets; nullopt: no figure is.
[[nodiscard]] std::optional<Note> above_roof_note(const ImportedCase& imported);

}  // namespace rooflab::analyze
