#pragma once

#include <optional>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/recording.hpp"
#include "rooflab/analyze/trace_job.hpp"
#include "rooflab/analyze/training_summary.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::analyze {

/// Results of any kind, side by side: what a report shows.
struct ResultSet {
  std::vector<CaseResult> predictions;
  std::vector<MeasuredCase> measured;
  std::vector<ImportedCase> imported;
  std::optional<TraceJob> job;     ///< where the traces among them are the ranks of one
  std::vector<Recording> watched;  ///< of commands under `rooflab monitor`
  std::vector<NamedTraining> trainings;
  std::vector<record::ScaleRun> scaled;  ///< data-parallel runs
};

}  // namespace rooflab::analyze
