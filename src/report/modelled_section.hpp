#pragma once

#include <cstddef>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::report {

/// Table with a row per op of a step: FLOPs and bytes by the shapes of its tensors, and the time of
/// its kernels; the first `top` rows, 0: all. `imported.modelled` must be set.
[[nodiscard]] page::Table modelled_table(const analyze::ImportedCase& imported, std::size_t top);

/// Notes on the share of the kernels' time that the modelled ops explain, and on the comparison
/// with counters.
[[nodiscard]] page::Remarks modelled_notes(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
