#pragma once

#include <span>
#include <vector>

#include "rooflab/analyze/network_count.hpp"
#include "row_table.hpp"

namespace rooflab::report {

/// A table of layers; work without a rule reads `not counted`.
[[nodiscard]] Table layer_rows(std::span<const analyze::LayerRow> layers,
                               std::span<const FigureColumn> columns);

}  // namespace rooflab::report
