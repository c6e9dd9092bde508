#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/scale_run.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::analyze {

/// A record and what it is called: its file, and which of several in it.
struct Recording {
  record::Record record;
  std::string source;
  std::string file = {};  ///< where `source` is more than its name
};

// Results that commands wrote as JSON, read back.

/// The cases that `predict -o x.json` wrote, as they were predicted. A device that the catalog does
/// not have keeps its id and has no figures; a note says so. Throws Error (input) that names the
/// key at fault; `file` stands for the text in messages. Without a catalog devices are their ids.
[[nodiscard]] std::vector<CaseResult> predictions_from_json(const Json& json,
                                                            const std::string& file,
                                                            const device::Catalog& catalog);
[[nodiscard]] std::vector<CaseResult> predictions_from_json(const Json& json,
                                                            const std::string& file);

/// The records behind the cases that `measure -o x.json` wrote; of the samples taken meanwhile the
/// file holds means only, so these records have none. Throws Error (input) likewise.
[[nodiscard]] std::vector<record::Record> measurements_from_json(const Json& json,
                                                                 const std::string& file);

/// The same cases, each beside its limit and prediction as measured_case_of() has them, with what
/// was counted of their layers as the file holds it: their kernels are not in it.
[[nodiscard]] std::vector<MeasuredCase> measured_cases_from_json(
    const Json& json, const std::string& file, const device::Catalog& catalog,
    const std::optional<device::Device>& limit_device = std::nullopt,
    const CalibrationLookup& calibrations = {});

/// A record, or those of several files or processes that `import -o x.json` and `profile -o x.json`
/// wrote. Throws Error (input) likewise.
[[nodiscard]] std::vector<Recording> recordings_from_json(const Json& json,
                                                          const std::string& file);

/// The runs that `train -o x.json` wrote, with their names; for long runs the file has only some of
/// the samples. Throws Error (input) likewise.
[[nodiscard]] std::vector<training::NamedTraining> trainings_from_json(const Json& json,
                                                                       const std::string& file);

/// Whether a prediction is of what was measured: the same case, the same work, the same device.
[[nodiscard]] bool is_of(const CaseResult& prediction, const MeasuredCase& measured);

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
  /// or where several results fit. A calibrated one among the results gives way to its own where
  /// that has the issue costs of the host that ran the case.
  [[nodiscard]] const CaseResult* prediction_of(const MeasuredCase& case_measured) const;
  /// How many measured times lie in their predicted intervals; empty where no case
  /// counts.
  [[nodiscard]] std::string agreement() const;
};

}  // namespace rooflab::analyze
