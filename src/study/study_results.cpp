#include "study_results.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "datasheet_figures.hpp"
#include "describe/field_table.hpp"
#include "rooflab/base/error.hpp"
#include "study_answer.hpp"

namespace rooflab::study {

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

std::string StudyResults::case_counts() const {
  const std::size_t without = failed();
  const auto left_out = std::ranges::count_if(
      plan, [](const PlannedCase& planned) { return !planned.skipped.empty(); });
  const std::size_t all = plan.size() - static_cast<std::size_t>(left_out);
  std::string text = format("{} of {} have figures", done(), plural(all, "case"));
  if (without > 0) text += format("; {} failed", without);
  if (left_out > 0) text += format("; {} left out on this machine", left_out);
  return text;
}

std::vector<std::string> StudyResults::answer_with_counts() const {
  std::vector<std::string> sentences = answer;
  if (sentences.empty() || failed() > 0) sentences.push_back(case_counts() + ".");
  return sentences;
}

namespace {

/// The question and the answer.
std::vector<std::string> introduction_of(const StudyResults& results) {
  std::vector<std::string> sentences = results.answer_with_counts();
  const std::string& question = results.study.question;
  if (!question.empty()) sentences.insert(sentences.begin(), question);
  return sentences;
}

}  // namespace

std::span<const Field> page_fields() {
  static constexpr auto fields = field_table(
      field<&introduction_of>("introduction"), field<&StudyResults::explanations>("findings"),
      field<Within{&StudyResults::study, &Study::texts}>("texts"));
  return fields;
}

void compare_published(StudyResults& results) {
  results.figures = published_figures(results.study, results.cases, results.explanations);
  results.answer = answer_of(results.figures, results.verdicts);
}

StudyResults results_of(Study study, JointResults joint, const device::Catalog& catalog) {
  StudyResults results;
  results.plan = std::move(joint.plan);
  results.outcomes = std::move(joint.outcomes);
  results.cases = cases_of(study, results.plan, results.outcomes);
  add_datasheet_figures(results.cases, study, catalog);
  results.explanations = explanations_of(study, results.cases, catalog);
  sort_worst_first(results.explanations, study, results.cases);
  for (const Hypothesis& hypothesis : study.hypotheses) {
    results.verdicts.push_back(judge(hypothesis, results.cases, results.explanations));
  }
  results.study = std::move(study);
  compare_published(results);
  return results;
}

void read_reported(StudyResults& results, const device::Catalog& catalog,
                   const analyze::CalibrationLookup& calibrations) {
  analyze::ResultSet& set = results.reported;
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
      results.unread.push_back(format("{}: {}", planned.id, error.full_message()));
    }
  }
}

}  // namespace rooflab::study
