#include "study_page.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "page_tables.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::study {
namespace {

using report::Cell;
using report::PageCard;
using report::PageSection;
using report::Table;

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

/// A table behind a line that opens it, and open in text.
report::PageDetail detail_of(std::string heading, Table table) {
  report::PageDetail detail;
  table.title = heading;
  detail.heading = std::move(heading);
  detail.table = std::move(table);
  detail.in_text = true;
  return detail;
}

constexpr std::string_view question_heading = "Question";
constexpr std::string_view hypothesis_heading = "Hypotheses";
constexpr std::string_view finding_heading = "What explains the published figures";

PageSection question_section(const Study& study) {
  PageSection section = section_under(question_heading);
  if (!study.question.empty()) section.notes.push_back(study.question);
  // Paragraphs are what stands between empty lines.
  bool is_open = false;
  for (const std::string& line : split(study.about, '\n')) {
    const std::string_view words = trim(line);
    if (words.empty()) {
      is_open = false;
    } else if (std::exchange(is_open, true)) {
      section.notes.back().text += format(" {}", words);
    } else {
      section.notes.emplace_back(std::string(words));
    }
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
  Table table = table_with(
      std::string(hypothesis_heading),
      {left("hypothesis"), left("statement"), left("check"), left("verdict"), left("numbers")});
  for (const Verdict& verdict : results.verdicts) {
    table.rows.push_back(
        {verdict.name, verdict.text, verdict.check, verdict.sentence, numbers_of(verdict)});
  }
  return table;
}

/// A row for every combination that the check was made of.
Table instance_table(const Verdict& verdict) {
  Table table = table_with("", {left("holds"), left("where"), left("numbers")});
  for (const Expression::Instance& instance : verdict.instances) {
    const std::string holds = instance.holds ? "yes" : "no";
    table.rows.push_back({instance.close ? holds + ", too close to call" : holds,
                          where_text(instance.where), instance.numbers});
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
    report::PageDetail detail =
        detail_of(format("{}: {}", verdict.name, verdict.sentence),
                  verdict.instances.empty() ? missing_table(verdict) : instance_table(verdict));
    detail.notes.push_back(verdict.check);
    if (!detail.table.rows.empty()) section.details.push_back(std::move(detail));
  }
  if (any_close) {
    section.notes.push_back(
        "Too close to call: other values within the intervals of the figures would give the"
        " opposite.");
  }
  return section;
}

PageSection published_section(const StudyResults& results) {
  PageSection section = section_under("Published figures");
  if (results.study.published.empty()) return section;
  add_published(section, results);
  for (const PublishedRow& row : results.study.published) {
    if (!row.remark.empty()) section.notes.push_back(row.remark);
  }
  return section;
}

/// `counting rule`.
std::string kind_text(const Finding& finding) {
  return join(split(name_of(finding.kind), '_'), " ");
}

Table finding_table(const StudyResults& results) {
  Table table = table_with(std::string(finding_heading),
                           {left("kind"), left("subject", "of"), left("finding")});
  for (const Finding& finding : results.findings) {
    table.rows.push_back({kind_text(finding), finding.subject, finding.sentence});
  }
  return table;
}

PageSection finding_section(const StudyResults& results) {
  PageSection section = section_under(finding_heading);
  if (results.findings.empty()) return section;
  section.tables.push_back(finding_table(results));
  for (const Finding& finding : results.findings) {
    if (finding.evidence.empty()) continue;
    Table table = table_with("", {left("evidence")});
    for (const std::string& evidence : finding.evidence) table.rows.push_back({evidence});
    section.details.push_back(
        detail_of(format("{}: {}", kind_text(finding), finding.subject), std::move(table)));
  }
  return section;
}

PageSection result_section(const StudyResults& results) {
  PageSection section = section_under("Tables");
  for (const TableWish& wish : results.study.tables) add_wished(section, wish, results.cases);
  if (results.study.tables.empty()) add_usual(section, results.cases);
  return section;
}

std::vector<PageSection> chart_sections(const StudyResults& results) {
  std::vector<PageSection> sections;
  for (const ChartWish& wish : results.study.charts) {
    PageSection section =
        section_under(wish.title.empty() ? format("Chart {}", sections.size() + 1) : wish.title);
    add_chart(section, wish, results.cases);
    sections.push_back(std::move(section));
  }
  return sections;
}

/// What the commands wrote that `rooflab report` reads, as they wrote it.
analyze::ResultSet result_set_of(const StudyResults& results, const device::Catalog& catalog,
                                 const analyze::CalibrationLookup& calibrations,
                                 report::Remarks& notes) {
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
        for (record::Record& each : analyze::measurements_from_json(json, planned.id)) {
          set.measured.push_back(
              analyze::measured_case_of(std::move(each), catalog, std::nullopt, calibrations));
          set.measured.back().source = planned.id;
        }
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

std::vector<PageCard> cards_of(const StudyResults& results) {
  std::vector<PageCard> cards;
  const std::size_t failed = results.failed();
  const auto left_out = std::ranges::count_if(
      results.plan, [](const PlannedCase& planned) { return !planned.skipped.empty(); });
  const std::size_t all = results.plan.size() - static_cast<std::size_t>(left_out);
  std::string remark = "with figures";
  if (failed > 0) remark += format(", {} failed", failed);
  if (left_out > 0) remark += format("; {} left out on this machine", left_out);
  cards.push_back({"Cases", format("{} of {}", results.done(), all), std::move(remark),
                   failed == 0 ? "" : "warning"});
  for (const Verdict& verdict : results.verdicts) {
    cards.push_back({verdict.text.empty() ? verdict.name : verdict.text,
                     std::string(name_of(verdict.result)), verdict.sentence,
                     verdict.result == Verdict::Result::holds   ? "good"
                     : verdict.result == Verdict::Result::fails ? "bad"
                                                                : "warning"});
  }
  if (!results.findings.empty()) {
    cards.push_back({"Published figures", plural(results.findings.size(), "finding"),
                     "explained from the numbers", ""});
  }
  return cards;
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

StudyResults read_results(Study study, std::vector<PlannedCase> plan,
                          const std::filesystem::path& folder, const device::Catalog& catalog) {
  StudyResults results;
  for (const PlannedCase& planned : plan) {
    results.outcomes.push_back(read_outcome(folder, planned));
  }
  results.cases = cases_of(study, plan, results.outcomes);
  for (const Hypothesis& hypothesis : study.hypotheses) {
    results.verdicts.push_back(judge(hypothesis, results.cases));
  }
  results.findings = findings_of(study, results.cases, catalog);
  results.study = std::move(study);
  results.plan = std::move(plan);
  return results;
}

report::Document study_page(const StudyResults& results, const device::Catalog& catalog,
                            const analyze::CalibrationLookup& calibrations, std::string command) {
  report::Remarks notes;
  report::Document below =
      report::report_view(result_set_of(results, catalog, calibrations, notes), command);
  report::Document document;
  document.title = results.study.title;
  document.subtitle = results.study.file.filename().string();
  document.command = std::move(command);
  document.cards = cards_of(results);
  document.sections = {question_section(results.study), hypothesis_section(results),
                       published_section(results), finding_section(results),
                       result_section(results)};
  const report::Remarks& question = document.sections.front().notes;
  document.introduction.assign(question.begin(), question.end());
  std::ranges::move(chart_sections(results), std::back_inserter(document.sections));
  add_stages(document.sections.emplace_back(section_under("Stages")), results);
  document.sections.push_back(section_under("Cases"));
  document.sections.back().tables.push_back(case_table(results));
  std::ranges::move(notes, std::back_inserter(document.sections.back().notes));
  std::ranges::move(below.sections, std::back_inserter(document.sections));
  for (PageSection& section : document.sections) {
    section.captions = section.heading == question_heading;
  }
  document.names_sections = true;
  report::show_all_tables(document, "study");
  document.json.update({{"introduction", document.introduction}});
  return document;
}

report::Document study_summary(const StudyResults& results) {
  report::Document document;
  document.title = format("{}: {} of {} cases have figures", results.study.title, results.done(),
                          results.plan.size());
  Table verdicts = table_with("", {left("hypothesis"), left("statement"), left("verdict")});
  for (const Verdict& verdict : results.verdicts) {
    verdicts.rows.push_back(
        {verdict.name, verdict.text.empty() ? verdict.check : verdict.text, verdict.sentence});
  }
  for (const std::size_t text : {1, 2}) verdicts.columns[text].shrinks = true;
  if (!verdicts.rows.empty()) document.tables.push_back(std::move(verdicts));
  for (const Finding& finding : results.findings)
    document.notes.push_back(report::answers(format("{}: {}", finding.subject, finding.sentence)));
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
