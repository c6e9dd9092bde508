#pragma once

#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/recording.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/training/training_summary.hpp"

/// Results that commands wrote as JSON, read back.
namespace rooflab::analyze {

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

/// A record, or those of several files or processes that `import -o x.json` and `profile -o x.json`
/// wrote. Throws Error (input) likewise.
[[nodiscard]] std::vector<Recording> recordings_from_json(const Json& json,
                                                          const std::string& file);

/// The runs that `train -o x.json` wrote, with their names; for long runs the file has only some of
/// the samples. Throws Error (input) likewise.
[[nodiscard]] std::vector<training::NamedTraining> trainings_from_json(const Json& json,
                                                                       const std::string& file);

}  // namespace rooflab::analyze
