#include <algorithm>
#include <span>

#include "rooflab/study/study_page.hpp"

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

}  // namespace rooflab::study
