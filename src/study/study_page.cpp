#include "study_page.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "chart/html_dots.hpp"
#include "datasheet_figures.hpp"
#include "describe/fields.hpp"
#include "page_tables.hpp"
#include "report/page_parts.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/views.hpp"
#include "study_answer.hpp"

namespace rooflab::study {
namespace {

using page::Cell;
using page::PageSection;
using page::Table;

std::string where_text(const Attributes& where) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : where) parts.push_back(format("{} {}", key, value));
  return parts.empty() ? "all" : join(parts, ", ");
}

PageSection section_under(std::string_view heading) {
  PageSection section;
  section.heading = heading;
  return section;
}

constexpr FigureKey introduction_key = "introduction";
constexpr FigureKey findings_key = "findings";
constexpr FigureKey texts_key = "texts";
/// More charts of single cases wait behind lines.
constexpr std::size_t most_open_charts = 2;
/// A longer table waits behind a line.
constexpr std::size_t most_open_rows = 12;
constexpr std::string_view about_heading = "About";
constexpr std::string_view hypothesis_heading = "Hypotheses";
constexpr std::string_view finding_heading = "What explains the published figures";

/// Paragraphs are what stands between empty lines.
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

PageSection about_section(const Study& study) {
  PageSection section = section_under(about_heading);
  for (std::string& paragraph : paragraphs_of(study.about)) {
    section.notes.emplace_back(std::move(paragraph));
  }
  return section;
}

/// The numbers of the first instance, or why it has no numbers, and how many more there are.
std::string numbers_of(const Verdict& verdict) {
  std::vector<std::string> numbers;
  for (const Expression::Instance& each : verdict.instances) numbers.push_back(each.numbers);
  for (const Expression::Missing& each : verdict.missing) {
    numbers.push_back(format("{}: {}", each.figure, each.reason));
  }
  if (numbers.empty()) return "";
  return numbers.size() == 1 ? numbers.front()
                             : format("{}; {} more", numbers.front(), numbers.size() - 1);
}

Table verdict_table(const StudyResults& results) {
  Table table = table_with(std::string(hypothesis_heading),
                           {left("hypothesis"), left("statement"), left("verdict"), left("why"),
                            left("numbers"), left("check")});
  for (const Verdict& verdict : results.verdicts) {
    table.rows.push_back({verdict.name, verdict.text, std::string(name_of(verdict.result)),
                          verdict.reason, numbers_of(verdict), verdict.check});
  }
  for (const std::string_view wide : {"numbers", "check"}) {
    std::ranges::find(table.columns, wide, &page::Column::key)->too_wide = true;
  }
  return table;
}

/// A row for every combination that the check was made of.
Table instance_table(const Verdict& verdict) {
  Table table = table_with("", {left("verdict"), left("where"), left("numbers")});
  for (const Expression::Instance& instance : verdict.instances) {
    const std::string doubt =
        instance.doubt.empty() ? "" : format("; doubtful: {}", instance.doubt);
    table.rows.push_back({std::string(name_of(instance.judgement())), where_text(instance.where),
                          instance.numbers + doubt});
  }
  return table;
}

/// A row for every figure that no case gives.
Table missing_table(const Verdict& verdict) {
  Table table = table_with("", {left("figure"), left("why", "why it is missing")});
  for (const Expression::Missing& each : verdict.missing) {
    table.rows.push_back({each.figure, each.reason});
  }
  return table;
}

PageSection hypothesis_section(const StudyResults& results) {
  PageSection section = section_under(hypothesis_heading);
  if (results.verdicts.empty()) return section;
  section.tables.push_back(verdict_table(results));
  bool any_close = false;
  for (const Verdict& verdict : results.verdicts) {
    any_close = any_close || std::ranges::any_of(verdict.instances, &Expression::Instance::close);
    page::PageDetail detail =
        detail_of(format("{}, {}: {}", verdict.name, name_of(verdict.result),
                         verdict.text.empty() ? verdict.check : verdict.text),
                  verdict.instances.empty() ? missing_table(verdict) : instance_table(verdict));
    detail.notes.push_back(verdict.check);
    detail.file_name = verdict.name;
    if (!detail.table.rows.empty()) section.details.push_back(std::move(detail));
  }
  if (any_close) {
    section.notes.push_back(
        "Undecided because too close to call: other values within the intervals of the figures"
        " would give the opposite.");
  }
  return section;
}

PageSection published_section(const StudyResults& results,
                              std::span<const PublishedFigure> figures) {
  PageSection section = section_under("Published figures");
  if (figures.empty()) return section;
  add_published(section, figures);
  for (const PublishedRow& row : results.study.published) {
    if (!row.remark.empty()) section.notes.push_back(row.remark);
  }
  section.notes.push_back("A figure agrees within 10 % of ours, or in the interval of ours.");
  return section;
}

/// What the page says of a finding: how far off its figures are, what is found, the numbers.
page::DocumentFinding shown_finding(const Finding& finding, const Study& study,
                                    std::span<const PublishedFigure> figures) {
  page::DocumentFinding shown;
  shown.text = format("{}: {}", finding.subject, finding.sentence);
  shown.worth = kind_text(finding.kind);
  if (const auto factor = error_factor_of(finding, study, figures)) {
    shown.worth += format(", {} off", chart::ratio_text(*factor));
  }
  shown.evidence = finding.evidence;
  return shown;
}

void add_findings(page::Document& document, const StudyResults& results,
                  std::span<const PublishedFigure> figures) {
  document.findings_heading = finding_heading;
  for (const Finding& finding : results.findings) {
    document.findings.push_back(shown_finding(finding, results.study, figures));
  }
}

/// The same heads above the same figures.
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
std::vector<PageSection> own_sections(const StudyResults& results,
                                      std::span<const PublishedFigure> figures,
                                      const device::Catalog& catalog) {
  std::vector<PageSection> sections;
  const auto add = [&sections](std::vector<PageSection> more) {
    std::ranges::move(more, std::back_inserter(sections));
  };
  using Position = StudyText::Position;
  const std::vector<StudyText>& texts = results.study.texts;
  add(text_sections(texts, Position::introduction));
  sections.push_back(hypothesis_section(results));
  add(text_sections(texts, Position::method));
  sections.push_back(published_section(results, figures));
  sections.push_back(result_section(results));
  add_stages(sections.emplace_back(section_under("Stages")), results);
  sections.push_back(ratio_section(figures));
  add(chart_sections(results, catalog));
  add(text_sections(texts, Position::discussion));
  add(text_sections(texts, Position::conclusion));
  sections.push_back(about_section(results.study));
  return sections;
}

/// What the commands wrote that `rooflab report` reads, as they wrote it.
analyze::ResultSet result_set_of(const StudyResults& results, const device::Catalog& catalog,
                                 const analyze::CalibrationLookup& calibrations,
                                 page::Remarks& notes) {
  analyze::ResultSet set;
  const auto add = [](auto& list, auto&& more) {
    for (auto& each : more) list.push_back(std::move(each));
  };
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    if (!results.outcomes[i] || !results.outcomes[i]->result.is_object()) continue;
    const PlannedCase& planned = results.plan[i];
    const Mode mode = planned.mode;
    const Json& json = results.outcomes[i]->result;
    try {
      if (mode == Mode::predict && json.contains("cases")) {
        add(set.predictions, analyze::predictions_from_json(json, planned.id, catalog));
      } else if (mode == Mode::measure || mode == Mode::counters) {
        auto measured = analyze::measured_cases_from_json(json, planned.id, catalog, std::nullopt,
                                                          calibrations);
        for (analyze::MeasuredCase& each : measured) each.source = planned.id;
        add(set.measured, std::move(measured));
      } else if (mode == Mode::import || mode == Mode::profile) {
        for (analyze::Recording& each : analyze::recordings_from_json(json, planned.id)) {
          // Its own names a file that is gone.
          each.record.identity.command = results.outcomes[i]->command;
          each.record.environment.command = results.outcomes[i]->command;
          set.imported.push_back(
              analyze::imported_case_of(std::move(each.record), std::move(each.source), catalog));
        }
      } else if (mode == Mode::train) {
        auto trainings = analyze::trainings_from_json(json, planned.id);
        for (auto& each : trainings) each.name = format("{}, {}", planned.id, each.name);
        add(set.trainings, std::move(trainings));
      }
    } catch (const Error& error) {
      notes.push_back(format("{}: {}", planned.id, error.full_message()));
    }
  }
  return set;
}

/// `45 of 48 cases have figures; 2 failed; 1 left out on this machine`.
std::string case_counts(const StudyResults& results) {
  const std::size_t failed = results.failed();
  const auto left_out = std::ranges::count_if(
      results.plan, [](const PlannedCase& planned) { return !planned.skipped.empty(); });
  const std::size_t all = results.plan.size() - static_cast<std::size_t>(left_out);
  std::string text = format("{} of {} have figures", results.done(), plural(all, "case"));
  if (failed > 0) text += format("; {} failed", failed);
  if (left_out > 0) text += format("; {} left out on this machine", left_out);
  return text;
}

std::vector<std::string> study_answer(const StudyResults& results,
                                      std::span<const PublishedFigure> figures) {
  std::vector<std::string> answer = answer_of(figures, results.verdicts);
  if (answer.empty() || results.failed() > 0) answer.push_back(case_counts(results) + ".");
  return answer;
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

std::size_t StudyResults::done() const {
  const auto planned = std::span(cases).first(plan.size());
  return static_cast<std::size_t>(std::ranges::count(planned, std::string(), &StudyCase::reason));
}

std::size_t StudyResults::failed() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (outcomes[i] && !cases[i].reason.empty()) ++count;
  }
  return count;
}

StudyResults results_of(Study study, JointResults joint, const device::Catalog& catalog) {
  StudyResults results;
  results.plan = std::move(joint.plan);
  results.outcomes = std::move(joint.outcomes);
  results.cases = cases_of(study, results.plan, results.outcomes);
  add_datasheet_figures(results.cases, study, catalog);
  results.findings = findings_of(study, results.cases, catalog);
  sort_worst_first(results.findings, study, results.cases);
  for (const Hypothesis& hypothesis : study.hypotheses) {
    results.verdicts.push_back(judge(hypothesis, results.cases, results.findings));
  }
  results.study = std::move(study);
  return results;
}

page::Document study_page(const StudyResults& results, const device::Catalog& catalog,
                          const analyze::CalibrationLookup& calibrations, std::string command) {
  const std::vector<PublishedFigure> figures =
      published_figures(results.study, results.cases, results.findings);
  PageSection appendix = section_under("Appendix");
  appendix.details.push_back(
      detail_of(format("Every case: {}", case_counts(results)), case_table(results)));
  appendix.details.back().file_name = "every case";
  page::Document below =
      report::report_view(result_set_of(results, catalog, calibrations, appendix.notes), command);

  page::Document document;
  document.title = results.study.title;
  document.subtitle = results.study.question;
  if (!results.study.question.empty()) document.introduction = {results.study.question};
  document.command = std::move(command);
  document.bases = std::move(below.bases);
  document.answer = study_answer(results, figures);
  add_findings(document, results, figures);
  document.sections = own_sections(results, figures, catalog);
  std::ranges::move(report_sections(std::move(below), appendix),
                    std::back_inserter(document.sections));
  document.sections.push_back(std::move(appendix));
  for (PageSection& section : document.sections) section.captions = false;
  document.names_sections = true;
  page::show_all_tables(document, "study");
  std::vector<std::string> introduction = document.introduction;
  std::ranges::copy(document.answer, std::back_inserter(introduction));
  document.json.update({{introduction_key.key(), introduction},
                        {findings_key.key(), codec::encode(results.findings)},
                        {texts_key.key(), codec::encode(results.study.texts)}});
  return document;
}

page::Document study_summary(const StudyResults& results) {
  page::Document document;
  document.title = format("{}: {} of {} cases have figures", results.study.title, results.done(),
                          results.plan.size());
  const std::vector<PublishedFigure> figures =
      published_figures(results.study, results.cases, results.findings);
  document.introduction = answer_of(figures, results.verdicts);
  Table verdicts =
      table_with("", {left("hypothesis"), left("statement"), left("verdict"), left("why")});
  for (const Verdict& verdict : results.verdicts) {
    verdicts.rows.push_back({verdict.name, verdict.text.empty() ? verdict.check : verdict.text,
                             std::string(name_of(verdict.result)), verdict.reason});
  }
  for (const std::size_t text : {1U, 3U}) verdicts.columns[text].shrinks = true;
  if (!verdicts.rows.empty()) document.tables.push_back(std::move(verdicts));
  for (const Finding& finding : results.findings)
    document.notes.push_back(page::answers(format("{}: {}", finding.subject, finding.sentence)));
  std::map<std::string, std::size_t> left_out;
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    const PlannedCase& planned = results.plan[i];
    const std::optional<CaseOutcome>& outcome = results.outcomes[i];
    const StudyCase& shown = results.cases[i];
    if (!planned.skipped.empty()) {
      ++left_out[planned.skipped];
    } else if (outcome && !shown.reason.empty()) {
      document.notes.push_back({format("{}: {}", planned.id, shown.reason), NoteRank::changes});
    } else if (outcome && has_failed(*outcome) && !shown.note.empty()) {
      document.notes.push_back({format("{}: {}", planned.id, shown.note), NoteRank::changes});
    }
  }
  for (const auto& [why, count] : left_out) {
    document.notes.push_back(format("left out: {}: {}", plural(count, "case"), why));
  }
  return document;
}

}  // namespace rooflab::study
