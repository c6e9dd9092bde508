#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case_file.hpp"
#include "figures.hpp"
#include "finding.hpp"
#include "joint_results.hpp"
#include "plan.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/page/document.hpp"
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
  std::vector<Finding> findings;  ///< findings, worst first

  /// Number of cases with figures; the next functions count failed cases, and cases that were not
  /// run.
  [[nodiscard]] std::size_t done() const;
  [[nodiscard]] std::size_t failed() const;
};

/// Judges the hypotheses and explains the published figures.
[[nodiscard]] StudyResults results_of(Study study, JointResults joint,
                                      const device::Catalog& catalog);

/// Page of a study: the question; the answer in two sentences; findings, worst first; verdicts with
/// their numbers; the requested tables and charts, with the published figures over ours on one
/// axis; the author's texts at their places; then the sections of `rooflab report` (rooflines,
/// layers, memory, environments), and as an appendix every case with its figures and its command.
/// Tables that the study does not request are details. Measured cases are compared with predictions
/// by `calibrations`.
///
/// No table appears twice. Markdown and JSON have the question, the answer, the findings, all
/// tables, the texts, and notes with the headings of their sections before them.
[[nodiscard]] page::Document study_page(const StudyResults& results, const device::Catalog& catalog,
                                        const analyze::CalibrationLookup& calibrations,
                                        std::string command);

/// Short summary for a terminal: answer, verdicts and findings.
[[nodiscard]] page::Document study_summary(const StudyResults& results);

}  // namespace rooflab::study
