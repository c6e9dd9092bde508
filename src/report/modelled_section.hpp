#pragma once

#include <cstddef>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A row for each op of a step: FLOPs and bytes by the shapes of its tensors, beside the time of
/// its kernels; the first `top` rows, 0: all. `imported.modelled` must be there.
[[nodiscard]] Table modelled_table(const analyze::ImportedCase& imported, std::size_t top);

/// How much of the kernels' time the modelled ops explain, and how they compare with counters.
[[nodiscard]] Remarks modelled_notes(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
