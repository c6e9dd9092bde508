#include "study_page.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/format.hpp"
#include "chart/html_dots.hpp"
#include "describe/fields.hpp"
#include "page_tables.hpp"
#include "report/page_parts.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::study {
namespace {

using page::Cell;
using page::PageSection;
using page::Table;

/// More charts of single cases wait behind lines.
constexpr std::size_t most_open_charts = 2;
/// A longer table waits behind a line.
constexpr std::size_t most_open_rows = 12;
constexpr std::string_view about_heading = "About";
constexpr std::string_view explanation_heading = "What explains the published figures";

/// Paragraphs are what is between empty lines.
std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> paragraphs;
  bool is_open = false;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view words = trim(line);
    if (words.empty()) {
      is_open = false;
    } else if (std::exchange(is_open, true)) {
      paragraphs.back() += format(" {}", words);
    } else {
      paragraphs.emplace_back(words);
    }
  }
  return paragraphs;
}

PageSection section_under(std::string_view heading) {
  PageSection section;
  section.heading = heading;
  return section;
}

PageSection about_section(const Study& study) {
  PageSection section = section_under(about_heading);
  for (std::string& paragraph : paragraphs_of(study.about)) {
    section.notes.emplace_back(std::move(paragraph));
  }
  return section;
}

PageSection published_section(std::span<const PublishedRow> rows,
                              std::span<const PublishedFigure> figures) {
  PageSection section = section_under("Published figures");
  if (figures.empty()) return section;
  add_published(section, figures);
  for (const PublishedRow& row : rows) {
    if (!row.remark.empty()) section.notes.push_back(row.remark);
  }
  section.notes.push_back("A figure agrees within 10 % of ours, or in the interval of ours.");
  return section;
}

/// What the page says of an explanation: how far off its figures are, what is found, the numbers.
page::DocumentFinding shown_explanation(const Explanation& explanation, const Study& study,
                                        std::span<const PublishedFigure> figures) {
  page::DocumentFinding shown;
  shown.text = format("{}: {}", explanation.subject, explanation.sentence);
  shown.worth = kind_text(explanation.kind);
  if (const auto factor = error_factor_of(explanation, study, figures)) {
    shown.worth += format(", {} off", chart::ratio_text(*factor));
  }
  shown.evidence = explanation.evidence;
  return shown;
}

void add_explanations(page::Document& document, const StudyResults& results) {
  document.findings_heading = explanation_heading;
  for (const Explanation& explanation : results.explanations) {
    document.findings.push_back(shown_explanation(explanation, results.study, results.figures));
  }
}

/// Whether two tables show equal heads and equal figures.
bool is_same(const Table& a, const Table& b) {
  return std::ranges::equal(a.columns, b.columns, {}, &page::Column::key, &page::Column::key) &&
         std::ranges::equal(a.rows, b.rows, [](const auto& row, const auto& other) {
           return std::ranges::equal(row, other, {}, &Cell::text, &Cell::text);
         });
}

/// A table that is there already is named in a note.
void drop_repeated(PageSection& section) {
  std::vector<Table> once;
  for (Table& table : section.tables) {
    const auto same =
        std::ranges::find_if(once, [&table](const Table& other) { return is_same(other, table); });
    if (same == once.end()) {
      once.push_back(std::move(table));
    } else {
      section.notes.push_back(format("'{}' is the table '{}'", table.title, same->title));
    }
  }
  section.tables = std::move(once);
}

PageSection result_section(const StudyResults& results) {
  PageSection section = section_under("Tables");
  for (const TableWish& wish : results.study.tables) add_wished(section, wish, results);
  if (results.study.tables.empty()) add_usual(section, results.cases);
  drop_repeated(section);
  for (Table& table : section.tables) {
    if (table.rows.size() <= most_open_rows) continue;
    const std::string title = table.title;
    section.details.push_back(detail_of(title, std::exchange(table, {})));
  }
  std::erase_if(section.tables, [](const Table& table) { return table.columns.empty(); });
  return section;
}

std::vector<PageSection> chart_sections(const StudyResults& results,
                                        const device::Catalog& catalog) {
  std::vector<PageSection> sections;
  for (const ChartWish& wish : results.study.charts) {
    PageSection section =
        section_under(wish.title.empty() ? format("Chart {}", sections.size() + 1) : wish.title);
    if (wish.kind == ChartWish::Kind::roofline) {
      add_rooflines(section, wish, results.cases, catalog);
    } else {
      add_chart(section, wish, results.cases);
    }
    sections.push_back(std::move(section));
  }
  return sections;
}

/// The published figures over ours on one axis.
PageSection ratio_section(std::span<const PublishedFigure> figures) {
  PageSection section = section_under("Published over ours");
  section.dots = published_dots(figures);
  section.dot_axis = chart::DotAxis::ratio;
  return section;
}

/// Everything that is this study's, in the order in which it is read.
std::vector<PageSection> own_sections(const StudyResults& results, const device::Catalog& catalog) {
  std::vector<PageSection> sections;
  const auto add = [&sections](std::vector<PageSection> more) {
    std::ranges::move(more, std::back_inserter(sections));
  };
  using Position = StudyText::Position;
  const std::vector<StudyText>& texts = results.study.texts;
  add(text_sections(texts, Position::introduction));
  sections.push_back(hypothesis_section(results.verdicts));
  add(text_sections(texts, Position::method));
  sections.push_back(published_section(results.study.published, results.figures));
  sections.push_back(result_section(results));
  add_stages(sections.emplace_back(section_under("Stages")), results);
  sections.push_back(ratio_section(results.figures));
  add(chart_sections(results, catalog));
  add(text_sections(texts, Position::discussion));
  add(text_sections(texts, Position::conclusion));
  sections.push_back(about_section(results.study));
  return sections;
}

/// Warnings of dozens of cases, as a table.
page::PageDetail warning_detail(const page::Remarks& warnings) {
  Table table = table_with("", {left("warning")});
  for (const page::Remark& warning : warnings) table.rows.push_back({warning.text});
  page::PageDetail detail = detail_of(plural(warnings.size(), "warning"), std::move(table));
  detail.file_name = "warnings";
  return detail;
}

/// What a report shows of the results, each table behind a line; what the appendix has is left out,
/// but for its notes, which go there.
std::vector<PageSection> report_sections(page::Document report, PageSection& appendix) {
  std::vector<PageSection> sections;
  for (PageSection& section : report.sections) {
    const bool is_in_appendix =
        section.heading == report::results_heading || section.heading == report::commands_heading;
    if (is_in_appendix) {
      std::ranges::move(section.notes, std::back_inserter(appendix.notes));
      continue;
    }
    if (section.heading == report::warnings_heading && !section.notes.empty()) {
      appendix.details.push_back(warning_detail(section.notes));
      continue;
    }
    std::vector<page::PageDetail> details;
    for (Table& table : section.tables) {
      std::string heading = table.title.empty() ? section.heading : table.title;
      details.push_back(detail_of(std::move(heading), std::move(table)));
    }
    section.tables.clear();
    if (section.charts.size() > most_open_charts && !section.side_by_side) {
      for (page::PageChart& chart : section.charts) {
        page::PageDetail detail;
        detail.heading = chart.chart.title;
        detail.charts.push_back(std::move(chart));
        details.push_back(std::move(detail));
      }
      section.charts.clear();
    }
    std::ranges::move(section.details, std::back_inserter(details));
    section.details = std::move(details);
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace

page::Document study_page(const StudyResults& results, const device::Catalog& catalog,
                          std::string command) {
  PageSection appendix = section_under("Appendix");
  appendix.details.push_back(
      detail_of(format("Every case: {}", results.case_counts()), case_table(results)));
  appendix.details.back().file_name = "every case";
  for (const std::string& why : results.unread) appendix.notes.push_back(why);
  page::Document below = report::report_view(results.reported, command);

  page::Document document;
  document.title = results.study.title;
  document.subtitle = results.study.question;
  if (!results.study.question.empty()) document.introduction = {results.study.question};
  document.command = std::move(command);
  document.bases = std::move(below.bases);
  document.answer = results.answer_with_counts();
  add_explanations(document, results);
  document.sections = own_sections(results, catalog);
  std::ranges::move(report_sections(std::move(below), appendix),
                    std::back_inserter(document.sections));
  document.sections.push_back(std::move(appendix));
  for (PageSection& section : document.sections) section.captions = false;
  document.names_sections = true;
  page::show_all_tables(document, "study");
  document.json.update(fields_json(&results, page_fields()));
  return document;
}

}  // namespace rooflab::study
