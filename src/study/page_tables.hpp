#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/device/catalog.hpp"
#include "rooflab/page/document.hpp"
#include "study_results.hpp"

/// Parts of a study's page. Added parts have notes about cases that do not fit on their device.
namespace rooflab::study {

/// Makes a table without rows. Columns have words (`left`) or figures (`right`); a column without a
/// title shows its key.
[[nodiscard]] page::Table table_with(std::string title, std::vector<page::Column> columns);
[[nodiscard]] page::Column left(std::string key, std::string title = {});
[[nodiscard]] page::Column right(std::string key, std::string title = {});

using CaseList = std::vector<const StudyCase*>;
/// Cases with these attributes that have one of the figures.
[[nodiscard]] CaseList cases_with(std::span<const StudyCase> cases, const Attributes& where,
                                  std::span<const ShownValue> values);

/// Mark after figures of a step that is predicted not to fit in the device's memory.
inline constexpr std::string_view misfit_mark = ", does not fit";
/// Whether a figure of the case (a time, a rate, energy or power) needs misfit_mark.
[[nodiscard]] bool is_misfit(const StudyCase& study_case, std::string_view quantity);
/// Whether a value needs misfit_mark because one of its quantities does.
[[nodiscard]] bool is_misfit(const StudyCase& study_case, const ShownValue& value);

/// Cell for people with interval and mark, `12.1 ms (11.8 to 12.6)`, `12.1 ms ±0.3 %`; `-` where
/// the case has no such figure. `cases`: all cases, among which words of the value select.
[[nodiscard]] page::Cell figure_cell(const StudyCase& study_case, const ShownValue& value,
                                     std::span<const StudyCase> cases);
[[nodiscard]] page::Cell figure_cell(const StudyCase& study_case, std::string_view quantity);

/// Adds notes for the first few cases with a misfit_mark, and the number of further ones: `vgg16,
/// gtx-1080, batch 256: needs 32.97 GB of 8 GB, its time is of a device with more`.
void add_misfit_notes(page::PageSection& section, std::span<const StudyCase* const> cases,
                      std::span<const ShownValue> values);

/// A table as details of a page, which text shows too.
[[nodiscard]] page::PageDetail detail_of(std::string heading, page::Table table);

/// Explanation of a published figure in a word or two: `agrees`, `set up`, `unexplained`; empty
/// where we have no figure for comparison.
[[nodiscard]] std::string reading_of(const PublishedFigure& figure);
/// Name of a kind of explanation: `counting rule`.
[[nodiscard]] std::string kind_text(Explanation::Kind kind);

/// Dots for the published figures that have one of ours: the ratios, and their explanation.
[[nodiscard]] std::vector<chart::Dot> published_dots(std::span<const PublishedFigure> figures);

/// Adds a table with a row per published figure: published, predicted and measured values, and the
/// ratios.
void add_published(page::PageSection& section, std::span<const PublishedFigure> figures);

/// Adds a requested table: a row per case, or with `beside` a row per group of cases that differ
/// only in that attribute, or a row per layer; adds a note where no case has such figures.
void add_wished(page::PageSection& section, const TableWish& wish, const StudyResults& results);

/// Verdicts with their numbers, and the combinations behind each.
[[nodiscard]] page::PageSection hypothesis_section(std::span<const Verdict> verdicts);

/// Adds all figures of our cases where the study requests no table: one table, or one per subject
/// if that would be too wide.
void add_usual(page::PageSection& section, std::span<const StudyCase> cases);

/// Adds bars or a chart of lines, and a note about cases without a place in it.
void add_chart(page::PageSection& section, const ChartWish& wish, std::span<const StudyCase> cases);

/// Adds a chart per device with a point per case and kind (limit, predicted, measured, counted,
/// published), and a table of the points with their attainable rates.
void add_rooflines(page::PageSection& section, const ChartWish& wish,
                   std::span<const StudyCase> cases, const device::Catalog& catalog);

/// Adds a table for each network that was cut over devices, with a row per stage.
void add_stages(page::PageSection& section, const StudyResults& results);

/// Table with a row per case: mode, outcome, main figures, command.
[[nodiscard]] page::Table case_table(const StudyResults& results);

}  // namespace rooflab::study
