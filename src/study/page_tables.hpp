#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "published_figure.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/report/document.hpp"
#include "study_page.hpp"

/// What a study's page is made of. What is added to a section has notes of the cases whose times
/// are of no device that there is.
namespace rooflab::study {

/// A table without rows. Its columns are of words (`left`) and of figures (`right`); a column
/// without a title has its key.
[[nodiscard]] report::Table table_with(std::string title, std::vector<report::Column> columns);
[[nodiscard]] report::Column left(std::string key, std::string title = {});
[[nodiscard]] report::Column right(std::string key, std::string title = {});

using CaseList = std::vector<const StudyCase*>;
/// The cases with these attributes that have one of the figures.
[[nodiscard]] CaseList cases_with(std::span<const StudyCase> cases, const Attributes& where,
                                  std::span<const ShownValue> values);

/// Behind figures of a step that the device's memory was predicted not to hold.
inline constexpr std::string_view misfit_mark = ", does not fit";
/// Whether that is so of a case's figure: a time, a rate, energy or power.
[[nodiscard]] bool is_misfit(const StudyCase& study_case, std::string_view quantity);
/// The same of a value, if it is so of one of its quantities.
[[nodiscard]] bool is_misfit(const StudyCase& study_case, const ShownValue& value);

/// For people with its interval and mark, `12.1 ms (11.8 to 12.6)`, `12.1 ms ±0.3 %`; `-` where the
/// case has no such figure. `cases`: all, among which words of the value choose.
[[nodiscard]] report::Cell figure_cell(const StudyCase& study_case, const ShownValue& value,
                                       std::span<const StudyCase> cases);
[[nodiscard]] report::Cell figure_cell(const StudyCase& study_case, std::string_view quantity);

/// `vgg16, gtx-1080, batch 256: needs 32.97 GB of 8 GB, its time is of a device with more`: a note
/// of the first few cases of which one of the quantities is marked so, and how many more there are.
void add_misfit_notes(report::PageSection& section, std::span<const StudyCase* const> cases,
                      std::span<const ShownValue> values);

/// A table behind a line that opens it, and open in text.
[[nodiscard]] report::PageDetail detail_of(std::string heading, report::Table table);

/// Why a published figure is what it is, in a word or two: `agrees`, `set up`, `unexplained`; empty
/// where nothing of ours stands beside it.
[[nodiscard]] std::string reading_of(const PublishedFigure& figure);
/// `counting rule`.
[[nodiscard]] std::string kind_text(Finding::Kind kind);

/// A row for each published figure that has one of ours: the ratios, and what explains them.
[[nodiscard]] std::vector<report::PageDot> published_dots(std::span<const PublishedFigure> figures);

/// A row a published figure: what was published, predicted and measured, and the ratios.
void add_published(report::PageSection& section, std::span<const PublishedFigure> figures);

/// A row per case, or with `beside` a row for cases that are alike but for that attribute, or a row
/// per layer; a note where no case has such figures.
void add_wished(report::PageSection& section, const TableWish& wish, const StudyResults& results);

/// All figures of our cases, where the study wishes for no table: a table, or one by subject where
/// that would be too wide.
void add_usual(report::PageSection& section, std::span<const StudyCase> cases);

/// Adds bars or a chart of lines, and a note of cases that have no place in it.
void add_chart(report::PageSection& section, const ChartWish& wish,
               std::span<const StudyCase> cases);

/// A chart for each device with a point for each case and kind (limit, predicted, measured,
/// counted, published), and a table of the points with what the roofline lets them reach.
void add_rooflines(report::PageSection& section, const ChartWish& wish,
                   std::span<const StudyCase> cases, const device::Catalog& catalog);

/// A table for each network that was cut over devices, a row per stage.
void add_stages(report::PageSection& section, const StudyResults& results);

/// A row per case: what was done, how it ended, its main figures, its command.
[[nodiscard]] report::Table case_table(const StudyResults& results);

}  // namespace rooflab::study
