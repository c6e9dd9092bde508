// The findings of one result share its step: with the floor F, below which no step of the case can
// come, and W, what the findings before it are worth, one is worth at most T - F - W of a step T.
// A finding that keeps less than `least_worth_share` of the step is left out.

#include "finding_list.hpp"

#include <algorithm>

namespace rooflab::findings {
namespace {

/// A cause whose removal saves less of the step is left out.
constexpr double least_worth_share = 0.001;

}  // namespace

std::string FindingList::tried(FindingKind kind, std::optional<std::string> attempt) const {
  if (!attempt) {
    const std::optional<TryLine>& line = row_of(kind).line;
    attempt = line ? text_of(*line) : std::string();
  }
  return of_pytorch_ ? *std::move(attempt) : std::string();
}

Finding& FindingList::add(FindingKind kind, std::vector<NoteValue> values,
                          std::optional<double> worth_s, std::optional<std::string> attempt) {
  if (worth_s && step_s_) {
    worth_s = std::max(0.0, std::min(*worth_s, *step_s_ - floor_s_ - taken_s_));
    taken_s_ += *worth_s;
  }
  return found_.emplace_back(Finding{kind, std::move(values), subject_, worth_s, step_s_,
                                     tried(kind, std::move(attempt))});
}

Finding& FindingList::add_of(double step_s, FindingKind kind, std::vector<NoteValue> values,
                             double worth_s, std::optional<std::string> attempt) {
  return found_.emplace_back(Finding{kind, std::move(values), subject_, std::min(worth_s, step_s),
                                     step_s, tried(kind, std::move(attempt))});
}

double FindingList::worth_of(FindingKind kind) const {
  double sum_s = 0.0;
  for (const Finding& finding : found_) {
    if (finding.kind == kind) sum_s += finding.worth_s.value_or(0.0);
  }
  return sum_s;
}

std::vector<Finding> FindingList::sorted() && {
  std::erase_if(found_, [](const Finding& finding) {
    const std::optional<double> share = finding.worth_share();
    return share && *share < least_worth_share;
  });
  sort_by_worth(found_);
  return std::move(found_);
}

void sort_by_worth(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    if (a.worth_s != b.worth_s) return a.worth_s.value_or(-1.0) > b.worth_s.value_or(-1.0);
    return a.kind < b.kind;
  });
}

}  // namespace rooflab::findings
