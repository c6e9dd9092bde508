#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "case_file.hpp"
#include "figures.hpp"
#include "joint_results.hpp"
#include "plan.hpp"
#include "published/explanation.hpp"
#include "published/published_figure.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "study.hpp"
#include "verdict.hpp"

namespace rooflab::study {

/// A study with all its results.
struct StudyResults {
  Study study;
  std::vector<PlannedCase> plan;
  std::vector<std::optional<CaseOutcome>> outcomes;  ///< in the order of the plan
  std::vector<StudyCase> cases;
  std::vector<Verdict> verdicts;
  std::vector<Explanation> explanations;  ///< worst first
  /// Results that `rooflab report` shows, as the commands wrote them.
  analyze::ResultSet reported;
  std::vector<std::string> unread;  ///< which outcomes `reported` lacks, and why
  /// The published figures with ours. They refer to the other members: a copy needs
  /// compare_published() again.
  std::vector<PublishedFigure> figures;
  std::vector<std::string> answer;  ///< the answer in sentences, see answer_of()

  /// Number of cases with figures; the next functions count failed cases, and cases that were not
  /// run.
  [[nodiscard]] std::size_t done() const;
  [[nodiscard]] std::size_t failed() const;
  /// `45 of 48 cases have figures; 2 failed; 1 left out on this machine`.
  [[nodiscard]] std::string case_counts() const;
};

/// Judges the hypotheses and explains the published figures.
[[nodiscard]] StudyResults results_of(Study study, JointResults joint,
                                      const device::Catalog& catalog);

/// Fills `reported` and `unread`. Measured cases are compared with predictions by `calibrations`.
void read_reported(StudyResults& results, const device::Catalog& catalog,
                   const analyze::CalibrationLookup& calibrations);

/// Fills `figures` and `answer`.
void compare_published(StudyResults& results);

}  // namespace rooflab::study
