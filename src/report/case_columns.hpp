#pragma once

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// The columns that name a case: model, device, batch, phase, precision; then `figures`.
[[nodiscard]] std::vector<Column> case_columns(std::vector<Column> figures);

/// What all rows share is said once, in the title: batch, phase and precision.
void move_constants_to_title(Table& table);

}  // namespace rooflab::report
