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

/// A record and its source: the file, and which of several records in it.
struct Recording {
  record::Record record = {};
  std::string source = {};
  std::string file = {};  ///< set where `source` is more than the file's name
};

// Results that commands wrote as JSON, read back.

/// Reads the cases that `predict -o x.json` wrote. A device that the catalog does not have keeps
/// its id and has no figures; a note says so. Without a catalog devices have only ids. Throws Error
/// (input) that names the key at fault; `file` names the text in messages.
[[nodiscard]] std::vector<CaseResult> predictions_from_json(const Json& json,
                                                            const std::string& file,
                                                            const device::Catalog& catalog);
[[nodiscard]] std::vector<CaseResult> predictions_from_json(const Json& json,
                                                            const std::string& file);

/// Reads the records of the cases that `measure -o x.json` wrote. They have no hardware samples:
/// the file has only their means. Throws Error (input) that names the key at fault.
[[nodiscard]] std::vector<record::Record> measurements_from_json(const Json& json,
                                                                 const std::string& file);

/// Reads the cases that `measure -o x.json` wrote, with limit and prediction from
/// measured_case_of(). Counters by layer come from the file, which does not hold the kernels.
/// Throws Error (input) that names the key at fault.
[[nodiscard]] std::vector<MeasuredCase> measured_cases_from_json(
    const Json& json, const std::string& file, const device::Catalog& catalog,
    const std::optional<device::Device>& limit_device = std::nullopt,
    const CalibrationLookup& calibrations = {});

/// Reads the records that `import -o x.json` and `profile -o x.json` wrote, one per file or
/// process. Throws Error (input) that names the key at fault.
[[nodiscard]] std::vector<Recording> recordings_from_json(const Json& json,
                                                          const std::string& file);

/// Reads the runs that `train -o x.json` wrote, with their names; for long runs the file has only
/// some of the samples. Throws Error (input) that names the key at fault.
[[nodiscard]] std::vector<training::NamedTraining> trainings_from_json(const Json& json,
                                                                       const std::string& file);

/// Whether a prediction belongs to a measurement: equal case, work and device.
[[nodiscard]] bool is_of(const CaseResult& prediction, const MeasuredCase& measured);

/// Results of any kind that a report shows together.
struct ResultSet {
  std::vector<CaseResult> predictions = {};
  std::vector<MeasuredCase> measured = {};
  std::vector<ImportedCase> imported = {};
  std::optional<trace::TraceJob> job = {};  ///< set where the traces are the ranks of one job
  std::vector<Recording> watched = {};      ///< commands under `rooflab monitor`
  std::vector<training::NamedTraining> trainings = {};
  std::vector<record::ScaleRun> scaled = {};  ///< data-parallel runs

  /// The prediction of a measured case: the one among the results, else the case's own; nullptr
  /// without one, or where several results fit. The case's own prediction goes first if it has the
  /// issue costs of the host that ran the case and the other one is calibrated.
  [[nodiscard]] const CaseResult* prediction_of(const MeasuredCase& case_measured) const;
  /// Sentence with the number of measured times in their predicted intervals; empty where no case
  /// counts.
  [[nodiscard]] std::string agreement() const;
};

}  // namespace rooflab::analyze
