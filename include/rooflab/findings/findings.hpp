#pragma once

#include <span>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/findings/finding.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/training/training_summary.hpp"

/// Findings about the time of results, from the results alone: docs/methods/findings.md. Each list
/// begins with the largest possible saving; findings without one come last, in the order of the
/// kinds. Time that two findings could save is counted in both.
namespace rooflab::findings {

/// Findings of a trace, a profile or a log of counters.
[[nodiscard]] std::vector<Finding> findings_of(const analyze::ImportedCase& imported);
/// Findings from comparing the ranks of a job.
[[nodiscard]] std::vector<Finding> findings_of(const trace::TraceJob& job);
[[nodiscard]] std::vector<Finding> findings_of(const analyze::CaseResult& result);
[[nodiscard]] std::vector<Finding> findings_of(const analyze::MeasuredCase& measured);
[[nodiscard]] std::vector<Finding> findings_of(const analyze::ScalingSeries& series);
[[nodiscard]] std::vector<Finding> findings_of(const training::TrainingSummary& trainings);

/// Findings of recordings, of all of them sorted together, and of each alone.
struct ImportedFindings {
  std::vector<Finding> all = {};
  std::vector<std::vector<Finding>> of_each = {};  ///< in the order of the recordings
};
/// `job`: the job whose ranks the recordings are.
[[nodiscard]] ImportedFindings imported_findings(std::span<const analyze::ImportedCase> cases,
                                                 const std::optional<trace::TraceJob>& job);
/// Findings of several results, sorted together.
[[nodiscard]] std::vector<Finding> findings_of(std::span<const analyze::CaseResult> cases);
[[nodiscard]] std::vector<Finding> findings_of(std::span<const analyze::MeasuredCase> cases);
[[nodiscard]] std::vector<Finding> findings_of(const analyze::Scaling& scaling);
[[nodiscard]] std::vector<Finding> findings_of(const analyze::ResultSet& results);

}  // namespace rooflab::findings
