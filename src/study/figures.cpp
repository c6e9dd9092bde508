// A case as everything above it sees it. What can be had of an outcome is taken: a run that ended
// early keeps its memory, and the reason inside a failed result comes before the runner's guess.

#include "figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "mode_figures.hpp"
#include "study_quantity.hpp"

namespace rooflab::study {
namespace {

/// Failure of an object with `status` and `message`; empty without a status.
std::string failure_in(const Json& ended) {
  const std::string status = string_of(ended, "status");
  if (status.empty() || status == "ok") return {};
  const std::string message = string_of(ended, "message");
  return message.empty() ? status : format("{}: {}", status, message);
}

/// The first failure of the runs.
std::string failure_of_a_run(const Json& result) {
  for (const Json& run : list_of(result, "runs")) {
    std::string failure = failure_in(run);
    if (!failure.empty()) return failure;
  }
  return {};
}

std::string training_failure(const Json& result) {
  const Json& group = first_of(result, "groups");
  if (number_of(group, "complete").value_or(1.0) > 0.0) return {};
  std::string failure = failure_of_a_run(result);
  return failure.empty() ? "no run came to its end" : failure;
}

std::string partition_failure(const Json& result) {
  const std::optional<double> least = number_of(result, "least_memory_bytes");
  if (least) return format("no partition fits; each device would need {}", si(*least, "B"));
  return failure_in(part(result, "run"));
}

std::string fit_failure(const Json& result) {
  const Json& point = first_of(result, "points");
  if (!point.is_object()) return {};
  return boundary_of(point).empty() ? "not even the least fits" : "";
}

/// The case that figures are read from.
const Json& case_of(Mode mode, const Json& result) {
  if (mode == Mode::scale) return last_of(first_of(result, "series"), "rows");
  for (const FigureKey cases : {FigureKey("series"), FigureKey("cases"), FigureKey("imports")}) {
    if (!list_of(result, cases).empty()) return first_of(result, cases);
  }
  return result;
}

using Sentences = std::vector<std::string>;

void add_all(Sentences& sentences, const Json& list) {
  for (const Json& each : list) {
    std::string sentence = string_of(each, "text");  // of a note
    if (sentence.empty()) continue;
    if (sentence.ends_with('.')) sentence.pop_back();
    sentences.push_back(std::move(sentence));
  }
}

void add_coverage(Sentences& sentences, const std::optional<double>& coverage) {
  if (coverage && *coverage < 1.0) {
    sentences.push_back(
        format("FLOPs and bytes are of {:.1f} % of the operations: the others have no rule",
               *coverage * 100.0));
  }
}

void add_predicted_memory(Sentences& sentences, const Json& predicted) {
  const Json& memory = part(predicted, "memory");
  const std::optional<double> total = number_of(memory, "total_bytes");
  const std::optional<double> there = number_of(predicted, "device_memory_bytes");
  if (string_of(predicted, "verdict") == "oom" && total && there) {
    sentences.push_back(format("by prediction it does not fit: {} of memory, and the device has {}",
                               si(*total, "B"), si(*there, "B")));
  }
  Sentences unknown;
  add_all(unknown, list_of(memory, "unknown"));
  if (!unknown.empty()) sentences.push_back(format("not in its memory: {}", join(unknown, ", ")));
}

void add_uncounted_kernels(Sentences& sentences, const Json& measured) {
  const Json& totals = part(part(measured, "counters"), "totals");
  const std::optional<double> kernels = number_of(totals, "launches");
  const std::optional<double> coverage = coverage_of(totals, "flop");
  if (kernels && coverage && *coverage < 1.0) {
    sentences.push_back(format("{} of {} kernels have counted FLOPs: too few for a sum",
                               std::round(*coverage * *kernels), *kernels));
  }
}

/// Runs that are not among those that the figures are of.
void add_failed_runs(Sentences& sentences, const Json& result) {
  const std::string failure = failure_of_a_run(result);
  if (!failure.empty()) sentences.push_back(format("one of its runs: {}", failure));
}

void add_boundary(Sentences& sentences, const Json& result) {
  const Json& point = first_of(result, "points");
  if (flag_of(point, "end_of_range")) {
    sentences.emplace_back("by prediction more fits than the range asked for");
  }
  if (flag_of(point, "found_end_of_range")) {
    sentences.emplace_back("more fits on the device than the range asked for");
  }
}

/// The run of one device that a speed-up is against, which may differ from another case's.
void add_single_device(Sentences& sentences, const Json& result) {
  const Json& rows = list_of(first_of(result, "series"), "rows");
  if (rows.size() < 2) return;
  const Json& first = rows.front();
  const auto rate = number_of(part(first, "run"), "samples_per_s");
  if (rate)
    sentences.push_back(
        format("its speed-up is against {} of one device in the same run", si(*rate, "samples/s")));
}

/// Why a command that wrote a result has none to show: `oom: out of memory: 300 MB held`. Empty:
/// its case ended well.
std::string failure_of(Mode mode, const Json& result) {
  if (mode == Mode::train) return training_failure(result);
  if (mode == Mode::fit) return fit_failure(result);
  if (mode == Mode::partition) return partition_failure(result);
  return failure_in(case_of(mode, result));
}

/// What a reader of its figures must know: what they leave out, what makes them suspect. Sentences
/// with `; ` between them; may be empty.
std::string remark_of(Mode mode, const Json& result) {
  const Json& shown = case_of(mode, result);
  Sentences sentences;
  if (mode == Mode::summary)
    add_coverage(sentences, number_of(part(result, "totals"), "coverage_share"));
  if (mode == Mode::predict) {
    add_coverage(sentences, number_of(shown, "coverage_share"));
    add_predicted_memory(sentences, shown);
    add_all(sentences, list_of(shown, "notes"));
  }
  if (mode == Mode::measure || mode == Mode::counters) {
    add_coverage(sentences, number_of(part(shown, "limit"), "coverage_share"));
    add_uncounted_kernels(sentences, shown);
  }
  if (mode == Mode::train) {
    add_all(sentences, list_of(first_of(result, "groups"), "notes"));
    add_failed_runs(sentences, result);
  }
  if (mode == Mode::fit) add_boundary(sentences, result);
  if (mode == Mode::scale) add_single_device(sentences, result);
  add_all(sentences, list_of(shown, "warnings"));
  return join(sentences, "; ");
}

/// What a case of a file is that its plan does not say: its batch, phase and precision.
void add_own_attributes(Attributes& attributes, const Json& shown) {
  const auto mode = attributes.find("mode");
  constexpr std::array counting = {"summary", "predict", "measure", "counters"};
  if (mode == attributes.end() || std::ranges::find(counting, mode->second) == counting.end()) {
    return;
  }
  for (const std::string key : {"batch", "phase", "precision"}) {
    const Json value = shown.is_object() ? shown.value(key, nullptr) : Json();
    if (value.is_string()) attributes.emplace(key, value.text());
    if (value.is_number_integer()) attributes.emplace(key, value.dump());
  }
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
  add_own_attributes(result.attributes, case_of(planned.mode, outcome->result));
  Sentences notes = {planned.note, remark_of(planned.mode, outcome->result)};
  result.reason = failure_of(planned.mode, outcome->result);
  if (result.reason.empty() && !result.figures.empty()) {
    notes.push_back(outcome->reason);  // `exit code 1` of training whose goal was not reached
  } else if (result.reason.empty()) {
    result.reason =
        outcome->reason.empty() ? "the result holds nothing that a study can use" : outcome->reason;
  }
  std::erase(notes, "");
  result.note = join(notes, "; ");
  return result;
}

StudyCase case_of(const PublishedRow& row, std::size_t index) {
  StudyCase result;
  result.id = id_of_published(index);
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

void FigureList::add(std::string_view quantity, std::optional<double> value,
                     std::optional<double> low, std::optional<double> high) {
  if (!value) return;
  ROOFLAB_ASSERT(find_quantity(quantity) != nullptr && find(quantity) == nullptr);
  Figure figure{.quantity = std::string(quantity), .value = *value, .low = {}, .high = {}};
  if (low && high && *low <= *value && *value <= *high) {
    figure.low = low;
    figure.high = high;
  }
  figures_.push_back(std::move(figure));
}

void FigureList::add(std::string_view quantity, const Json& json, FigureKey key) {
  add(quantity, number_of(json, key));
}

void FigureList::add(const Json& json, std::initializer_list<std::string_view> quantities) {
  for (const std::string_view quantity : quantities) {
    add(quantity, number_at(json, find_quantity(quantity)->key));
  }
}

void FigureList::add_rate(std::string_view quantity, std::optional<double> work) {
  const Figure* const time = find("time");
  if (!work || time == nullptr || time->value <= 0.0) return;
  const double value = *work / time->value;
  if (time->low && time->high && *time->low > 0.0) {
    add(quantity, value, *work / *time->high, *work / *time->low);
  } else {
    add(quantity, value);
  }
}

const Figure* FigureList::find(std::string_view quantity) const {
  const auto found = std::ranges::find(figures_, quantity, &Figure::quantity);
  return found == figures_.end() ? nullptr : &*found;
}

const Figure* StudyCase::find(std::string_view quantity) const {
  const auto found = std::ranges::find(figures, quantity, &Figure::quantity);
  return found == figures.end() ? nullptr : &*found;
}

std::optional<double> StudyCase::value(std::string_view quantity) const {
  const Figure* const figure = find(quantity);
  return figure == nullptr ? std::nullopt : std::optional(figure->value);
}

std::vector<Figure> figures_of(Mode mode, const Json& result) {
  // In the order of the modes.
  constexpr std::array readers = {add_summary,  add_predict, add_measure,   add_measure,
                                  add_recorded, add_scaling, add_train,     add_evaluate,
                                  add_probe,    add_fit,     add_partition, add_recorded};
  static_assert(readers.size() == values_of<Mode>.size());
  FigureList figures;
  readers[static_cast<std::size_t>(mode)](figures, result);
  return figures.take();
}

std::string id_of_published(std::size_t row) { return format("published-{}", row + 1); }

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
  for (std::size_t i = 0; i < study.published.size(); ++i) {
    cases.push_back(case_of(study.published[i], i));
  }
  return cases;
}

}  // namespace rooflab::study
