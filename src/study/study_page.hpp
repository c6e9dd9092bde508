#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case_file.hpp"
#include "figures.hpp"
#include "finding.hpp"
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
  std::vector<Finding> findings;

  /// Cases that have figures, that were run without, and that were not run or left out.
  [[nodiscard]] std::size_t done() const;
  [[nodiscard]] std::size_t failed() const;
};

/// Reads the outcomes that the folder has, judges the hypotheses and explains what was published.
[[nodiscard]] StudyResults read_results(Study study, std::vector<PlannedCase> plan,
                                        const std::filesystem::path& folder,
                                        const device::Catalog& catalog);

/// Question, verdicts with the numbers behind them, published beside predicted and measured
/// figures, findings, the tables and charts that the study wants, every case with its command, then
/// what `rooflab report` shows of such results: rooflines, layers, memory, environments.
/// Measured cases have their predictions beside them, by what `calibrations` finds.
///
/// Markdown and JSON have the question as their introduction, the tables, and notes with the
/// headings of their sections before them. Verdicts and findings are not behind a line to open.
[[nodiscard]] report::Document study_page(const StudyResults& results,
                                          const device::Catalog& catalog,
                                          const analyze::CalibrationLookup& calibrations,
                                          std::string command);

/// Verdicts and findings in short, for a terminal.
[[nodiscard]] report::Document study_summary(const StudyResults& results);

}  // namespace rooflab::study
