// A case as everything above it sees it. What can be had of an outcome is taken: a run that ended
// early keeps its memory, and the reason inside a failed result comes before the runner's guess.

#include "rooflab/study/figures.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "addition_cases.hpp"
#include "mode_figures.hpp"
#include "result_remark.hpp"
#include "rooflab/base/assert.hpp"
#include "rooflab/base/format.hpp"

namespace rooflab::study {
namespace {

void append_sentence(std::string& note, const std::string& sentence) {
  if (sentence.empty()) return;
  if (!note.empty()) note += "; ";
  note += sentence;
}

StudyCase case_of(const PlannedCase& planned, const std::optional<CaseOutcome>& outcome) {
  StudyCase result;
  result.id = planned.id;
  result.attributes = planned.attributes;
  result.note = planned.note;
  if (!planned.words.empty()) result.command = command_of(planned);
  if (!outcome) {
    result.reason = planned.skipped.empty() ? "not run yet" : planned.skipped;
    return result;
  }
  result.figures = figures_of(planned.mode, outcome->result);
  append_sentence(result.note, remark_of(planned.mode, outcome->result));
  const std::string failure = failure_of(planned.mode, outcome->result);
  if (!failure.empty()) {
    result.reason = failure;
  } else if (!result.figures.empty()) {  // `exit code 1` of training whose goal was not reached
    append_sentence(result.note, outcome->reason);
  } else {
    result.reason =
        outcome->reason.empty() ? "the result holds nothing that a study can use" : outcome->reason;
  }
  return result;
}

StudyCase case_of(const PublishedRow& row, std::size_t number) {
  StudyCase result;
  result.id = format("published-{}", number);
  result.attributes = row.where;
  result.attributes["mode"] = "published";
  result.attributes["source"] = row.source;
  result.note = row.remark;
  for (const auto& [quantity, value] : row.values) {
    result.figures.push_back({.quantity = quantity, .value = value, .low = {}, .high = {}});
  }
  return result;
}

}  // namespace

const Figure* StudyCase::find(std::string_view quantity) const {
  const auto found = std::ranges::find(figures, quantity, &Figure::quantity);
  return found == figures.end() ? nullptr : &*found;
}

std::string_view StudyCase::attribute(std::string_view key) const {
  const auto found = attributes.find(std::string(key));
  return found == attributes.end() ? std::string_view() : found->second;
}

std::vector<Figure> figures_of(Mode mode, const Json& result) {
  FigureList figures;
  switch (mode) {
    case Mode::summary:
      add_summary(figures, result);
      break;
    case Mode::predict:
      add_predict(figures, result);
      break;
    case Mode::measure:
    case Mode::counters:
      add_measure(figures, result);
      break;
    case Mode::profile:
    case Mode::import:
      add_recorded(figures, result);
      break;
    case Mode::scale:
      add_scaling(figures, result);
      break;
    case Mode::train:
      add_train(figures, result);
      break;
    case Mode::evaluate:
      add_evaluate(figures, result);
      break;
    case Mode::probe:
      add_probe(figures, result);
      break;
    case Mode::fit:
      add_fit(figures, result);
      break;
    case Mode::partition:
      add_partition(figures, result);
      break;
  }
  return figures.take();
}

std::vector<StudyCase> cases_of(const Study& study, std::span<const PlannedCase> plan,
                                std::span<const std::optional<CaseOutcome>> outcomes) {
  ROOFLAB_ASSERT(plan.size() == outcomes.size());
  std::vector<StudyCase> cases;
  for (std::size_t i = 0; i < plan.size(); ++i) cases.push_back(case_of(plan[i], outcomes[i]));
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].mode != Mode::probe || !outcomes[i]) continue;
    for (StudyCase& each : addition_cases(cases[i], outcomes[i]->result)) {
      cases.push_back(std::move(each));
    }
  }
  std::size_t number = 0;
  for (const PublishedRow& row : study.published) cases.push_back(case_of(row, ++number));
  return cases;
}

}  // namespace rooflab::study
