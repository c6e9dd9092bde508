#pragma once

#include <span>
#include <vector>

#include "page/row_table.hpp"
#include "rooflab/analyze/network_count.hpp"

namespace rooflab::report {

/// A table of layers; work without a rule reads `not counted`.
[[nodiscard]] page::Table layer_rows(std::span<const analyze::LayerRow> layers,
                                     std::span<const page::FigureColumn> columns);

}  // namespace rooflab::report
