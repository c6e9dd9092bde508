#include "rooflab/analyze/result_file.hpp"

#include <algorithm>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::analyze {
namespace {

template <class Row>
std::vector<Row> cases_of(const Json& json, const std::string& file) {
  const std::optional<Json> newer = renewed_result(json, file);
  std::vector<Row> cases;
  codec::decode(cases, JsonFields(newer ? *newer : json, file).at(FigureKey("cases").key()));
  return cases;
}

}  // namespace

std::vector<CaseResult> predictions_from_json(const Json& json, const std::string& file) {
  std::vector<CaseResult> cases = cases_of<CaseResult>(json, file);
  for (CaseResult& result : cases) {  // earlier files do not have all
    result.memory.most_total = std::max(result.memory.most_total, result.memory.total);
    add_limit_shares(result.layers, result.limit.time);
  }
  return cases;
}

std::vector<CaseResult> predictions_from_json(const Json& json, const std::string& file,
                                              const device::Catalog& catalog) {
  std::vector<CaseResult> cases = predictions_from_json(json, file);
  for (CaseResult& result : cases) {
    const std::string id = result.device.id;
    if (catalog.has(id)) {
      result.device = catalog.find(id);
    } else {
      result.notes.push_back({"roofs_unknown", {id}});
    }
  }
  return cases;
}

std::vector<record::Record> measurements_from_json(const Json& json, const std::string& file) {
  std::vector<record::Record> records;
  for (MeasuredCase& each : cases_of<MeasuredCase>(json, file)) {
    records.push_back(std::move(each.record));
  }
  return records;
}

std::vector<Recording> recordings_from_json(const Json& json, const std::string& file) {
  const auto imports = json.is_object() ? json.find("imports") : json.end();
  if (imports == json.end() || !imports->is_array()) {
    return {{from_file_json<record::Record>(json, file), file}};
  }
  std::vector<Recording> recordings;
  for (const Json& each : *imports) {
    const auto source = each.is_object() ? each.find("source") : each.end();
    const bool named = source != each.end() && source->is_string();
    recordings.push_back({from_file_json<record::Record>(each, file),
                          named ? format("{}: {}", file, source->get<std::string>()) : file});
  }
  return recordings;
}

std::vector<training::NamedTraining> trainings_from_json(const Json& json,
                                                         const std::string& file) {
  return from_file_json<training::TrainingSummary>(json, file).runs;
}

}  // namespace rooflab::analyze
