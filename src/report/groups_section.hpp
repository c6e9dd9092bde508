#pragma once

#include <cstddef>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/report/document.hpp"

/// Programs that were counted on some launches of each kernel.
namespace rooflab::report {

/// A row for each group, by falling time, `top` at most (0: all); no rows where launches were not
/// counted so.
[[nodiscard]] Table groups_table(const analyze::ImportedCase& imported, std::size_t top);

/// What all launches did, how certain that is, and what is missing.
[[nodiscard]] Remarks groups_notes(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
