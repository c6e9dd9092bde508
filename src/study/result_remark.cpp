#include "result_remark.hpp"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "json_part.hpp"
#include "mode_figures.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

/// Failure of an object with `status` and `message`; empty without a status.
std::string failure_in(const Json& ended) {
  const std::string status = string_of(ended, "status");
  if (status.empty() || status == "ok") return {};
  const std::string message = string_of(ended, "message");
  return message.empty() ? status : format("{}: {}", status, message);
}

std::string training_failure(const Json& result) {
  const Json& group = first_of(result, "groups");
  if (number_of(group, "complete").value_or(1.0) > 0.0) return {};
  for (const Json& run : list_of(result, "runs")) {
    std::string failure = failure_in(run);
    if (!failure.empty()) return failure;
  }
  return "no run came to its end";
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

/// The case that figures are read from, by mode.
const Json& case_of(Mode mode, const Json& result) {
  switch (mode) {
    case Mode::predict:
      return list_of(result, "series").empty() ? first_of(result, "cases")
                                               : first_of(result, "series");
    case Mode::measure:
    case Mode::counters:
      return first_of(result, "cases");
    case Mode::scale:
      return last_of(first_of(result, "series"), "rows");
    case Mode::profile:
    case Mode::import: {
      const Json& several = first_of(result, "imports");
      return several.is_null() ? result : several;
    }
    case Mode::summary:
    case Mode::train:
    case Mode::evaluate:
    case Mode::probe:
    case Mode::fit:
    case Mode::partition:
      break;
  }
  return result;
}

using Sentences = std::vector<std::string>;

void add_all(Sentences& sentences, const Json& list) {
  for (const Json& each : list) {
    const Json text = each.value("text", each);  // of a note; version 1 has the text alone
    if (!text.is_string()) continue;
    std::string sentence = text.text();
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
  const Json& coverage = part(totals, "coverage");
  const double counted = number_of(coverage, "flop").value_or(0.0);
  if (kernels && coverage.is_object() && counted < 1.0) {  // results of version 1 do not tell
    sentences.push_back(format("{} of {} kernels have counted FLOPs: too few for a sum",
                               std::round(counted * *kernels), *kernels));
  }
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

}  // namespace

std::string failure_of(Mode mode, const Json& result) {
  switch (mode) {
    case Mode::train:
      return training_failure(result);
    case Mode::fit:
      return fit_failure(result);
    case Mode::partition:
      return partition_failure(result);
    case Mode::summary:
    case Mode::predict:
    case Mode::measure:
    case Mode::counters:
    case Mode::profile:
    case Mode::scale:
    case Mode::evaluate:
    case Mode::probe:
    case Mode::import:
      break;
  }
  return failure_in(case_of(mode, result));
}

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
  if (mode == Mode::train) add_all(sentences, list_of(first_of(result, "groups"), "notes"));
  if (mode == Mode::fit) add_boundary(sentences, result);
  add_all(sentences, list_of(shown, "warnings"));
  return join(sentences, "; ");
}

}  // namespace rooflab::study
