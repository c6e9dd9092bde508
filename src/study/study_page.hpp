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
#include "rooflab/report/document.hpp"
#include "study.hpp"
#include "verdict.hpp"

namespace rooflab::study {

/// A study with all that has come of it.
struct StudyResults {
  Study study;
  std::vector<PlannedCase> plan;
  std::vector<std::optional<CaseOutcome>> outcomes;  ///< in the order of the plan
  std::vector<StudyCase> cases;
  std::vector<Verdict> verdicts;
  std::vector<Finding> findings;  ///< worst first

  /// Cases that have figures, that were run without, and that were not run or left out.
  [[nodiscard]] std::size_t done() const;
  [[nodiscard]] std::size_t failed() const;
};

/// Judges the hypotheses and explains what was published.
[[nodiscard]] StudyResults results_of(Study study, JointResults joint,
                                      const device::Catalog& catalog);

/// The question; the answer in two sentences; findings, worst first; verdicts with the numbers
/// behind them; the tables and charts that the study wants, with the published figures over ours on
/// one axis; the author's texts at their places; then what `rooflab report` shows of such results
/// (rooflines, layers, memory, environments), and as an appendix every case with its figures and
/// its command. Tables that the study does not ask for are behind lines to open. Measured cases
/// have their predictions beside them, by what `calibrations` finds.
///
/// No table is there twice. Markdown and JSON have the question, the answer, the findings, all
/// tables, the texts, and notes with the headings of their sections before them.
[[nodiscard]] report::Document study_page(const StudyResults& results,
                                          const device::Catalog& catalog,
                                          const analyze::CalibrationLookup& calibrations,
                                          std::string command);

/// Answer, verdicts and findings in short, for a terminal.
[[nodiscard]] report::Document study_summary(const StudyResults& results);

}  // namespace rooflab::study
