#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/study/study_page.hpp"

/// What a study's page is made of.
namespace rooflab::study {

/// Of words.
[[nodiscard]] report::Column left_column(std::string key, std::string title);

/// For people with its interval, `12.1 ms (11.8 to 12.6 ms)`; `-` where there is no such figure.
[[nodiscard]] report::Cell figure_cell(const Figure* figure);

/// A row a published figure: what was published, predicted and measured, and the ratios.
[[nodiscard]] report::Table published_table(const StudyResults& results);

[[nodiscard]] report::Table wished_table(const TableWish& wish, std::span<const StudyCase> cases);

/// Of all cases that have figures, where the study wishes for no table.
[[nodiscard]] report::Table usual_table(std::span<const StudyCase> cases);

/// Adds bars or a chart of lines; nothing where no case has such figures.
void add_chart(report::PageSection& section, const ChartWish& wish,
               std::span<const StudyCase> cases);

/// A row a case: what was done, how it ended, its command.
[[nodiscard]] report::Table case_table(const StudyResults& results);

}  // namespace rooflab::study
