#pragma once

#include <cstddef>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/page/document.hpp"

/// Tables and notes for programs that were counted on some launches of each kernel.
namespace rooflab::report {

/// Table with a row per group, by falling time, at most `top` (0: all); empty where launches were
/// not counted in groups.
[[nodiscard]] page::Table groups_table(const analyze::ImportedCase& imported, std::size_t top);

/// Notes on the sums over all launches, their uncertainty, and missing figures.
[[nodiscard]] page::Remarks groups_notes(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
