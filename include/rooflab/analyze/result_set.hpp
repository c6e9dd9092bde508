#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/recording.hpp"
#include "rooflab/record/scale_run.hpp"
#include "rooflab/trace/trace_job.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::analyze {

/// Results of any kind, side by side: what a report shows.
struct ResultSet {
  std::vector<CaseResult> predictions;
  std::vector<MeasuredCase> measured;
  std::vector<ImportedCase> imported;
  std::optional<trace::TraceJob> job;  ///< where the traces among them are the ranks of one
  std::vector<Recording> watched;      ///< commands under `rooflab monitor`
  std::vector<training::NamedTraining> trainings;
  std::vector<record::ScaleRun> scaled;  ///< data-parallel runs

  /// The prediction of a measured case: that among the results, else its own; nullptr without one,
  /// or where several results fit.
  [[nodiscard]] const CaseResult* prediction_of(const MeasuredCase& case_measured) const;
  /// How many measured times lie in their predicted intervals; empty where no case
  /// counts.
  [[nodiscard]] std::string agreement() const;
};

}  // namespace rooflab::analyze
