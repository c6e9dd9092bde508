#pragma once

#include <initializer_list>
#include <string_view>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// The columns that name a case: model, device, batch, phase, precision; then `figures`.
[[nodiscard]] std::vector<Column> case_columns(std::vector<Column> figures);

/// What all rows share is said once, in the title: batch, phase and precision, or `keys`.
void move_constants_to_title(Table& table, std::initializer_list<std::string_view> keys = {
                                               "batch", "phase", "precision"});

/// A column that no row fills says nothing on a screen: of those named it is left for CSV.
void hide_without_figures(Table& table, std::initializer_list<std::string_view> keys);

}  // namespace rooflab::report
