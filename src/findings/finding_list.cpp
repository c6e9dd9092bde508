#include "finding_list.hpp"

#include <algorithm>

namespace rooflab::findings {
namespace {

/// A cause whose removal saves less of the step is left out.
constexpr double least_worth_share = 0.001;

}  // namespace

Finding& FindingList::add(FindingKind kind, std::vector<NoteValue> values,
                          std::optional<double> worth_s, std::string attempt) {
  if (attempt.empty() && of_pytorch_) attempt = row_of(kind).attempt;
  return found_.emplace_back(
      Finding{kind, std::move(values), subject_, worth_s, step_s_, std::move(attempt)});
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
