#include <map>

#include "base/format.hpp"
#include "page_tables.hpp"
#include "study_page.hpp"

namespace rooflab::study {

page::Document study_summary(const StudyResults& results) {
  page::Document document;
  document.title = format("{}: {} of {} cases have figures", results.study.title, results.done(),
                          results.plan.size());
  document.introduction = results.answer;
  page::Table verdicts =
      table_with("", {left("hypothesis"), left("statement"), left("verdict"), left("why")});
  for (const Verdict& verdict : results.verdicts) {
    verdicts.rows.push_back({verdict.name, verdict.text.empty() ? verdict.check : verdict.text,
                             std::string(name_of(verdict.result)), verdict.reason});
  }
  for (const std::size_t text : {1U, 3U}) verdicts.columns[text].shrinks = true;
  if (!verdicts.rows.empty()) document.tables.push_back(std::move(verdicts));
  for (const Explanation& explanation : results.explanations)
    document.notes.push_back(
        page::answers(format("{}: {}", explanation.subject, explanation.sentence)));
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
