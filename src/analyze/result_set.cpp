#include "rooflab/analyze/result_set.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "notes/analyze_notes.hpp"
#include "record/record_json.hpp"
#include "result_check.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::analyze {

bool is_of(const CaseResult& prediction, const MeasuredCase& measured) {
  if (!measured.model || !prediction.predicted_time()) return false;
  if (!measured.record.identity.other_worker().empty()) return false;  // predicted is PyTorch
  const CaseResult& modelled = *measured.model;
  return prediction.model == measured.record.identity.model && prediction.batch == modelled.batch &&
         prediction.phase == modelled.phase && prediction.precision == modelled.precision &&
         prediction.device.id == modelled.device.id &&
         prediction.in_channels_last == measured.record.identity.channels_last &&
         prediction.limit.flops() == modelled.limit.flops() &&
         prediction.limit.compulsory_bytes == modelled.limit.compulsory_bytes;
}

const CaseResult* ResultSet::prediction_of(const MeasuredCase& case_measured) const {
  const CaseResult* found = nullptr;
  for (const CaseResult& prediction : predictions) {
    if (!is_of(prediction, case_measured)) continue;
    if (found != nullptr) return nullptr;
    found = &prediction;
  }
  const CaseResult* const own =
      case_measured.model && case_measured.model->prediction ? &*case_measured.model : nullptr;
  if (found == nullptr) return own;
  // Both are calibrated: the one that knows the host of these steps.
  return own != nullptr && own->has_host_at_hand() && found->has_interval() ? own : found;
}

std::string ResultSet::agreement() const {
  Agreement agreement;
  for (const MeasuredCase& each : measured) agreement.add(each, prediction_of(each));
  return agreement.sentence();
}

namespace {

template <class Row>
std::vector<Row> cases_of(const Json& json, const std::string& file) {
  check_result_version(json, file);
  std::vector<Row> cases;
  codec::decode(cases, JsonFields(json, file).at(FigureKey("cases").key()));
  return cases;
}

}  // namespace

std::vector<CaseResult> predictions_from_json(const Json& json, const std::string& file) {
  std::vector<CaseResult> cases = cases_of<CaseResult>(json, file);
  for (CaseResult& result : cases) {  // earlier files do not have all
    result.memory.most_total = std::max(result.memory.most_total, result.memory.total);
    add_limit_shares(result.layers, result.limit.time);
    if (const auto wrong = contradiction_in(result)) {
      throw Error(ErrorKind::input,
                  format("{} on {} contradicts itself: {}", result.model, result.device.id, *wrong),
                  "write it anew with rooflab predict",
                  {.file = file, .line = {}, .column = {}, .byte_offset = {}});
    }
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
      result.notes.push_back({says.roofs_unknown, {id}});
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

std::vector<MeasuredCase> measured_cases_from_json(
    const Json& json, const std::string& file, const device::Catalog& catalog,
    const std::optional<device::Device>& limit_device, const CalibrationLookup& calibrations) {
  std::vector<MeasuredCase> cases;
  for (MeasuredCase& read : cases_of<MeasuredCase>(json, file)) {
    MeasuredCase& complete = cases.emplace_back(
        measured_case_of(std::move(read.record), catalog, limit_device, calibrations));
    complete.counted = std::move(read.counted);
    if (complete.counted) complete.counted->complete();
  }
  return cases;
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
                          named ? format("{}: {}", file, source->get<std::string>()) : file, file});
  }
  return recordings;
}

std::vector<training::NamedTraining> trainings_from_json(const Json& json,
                                                         const std::string& file) {
  return from_file_json<training::TrainingSummary>(json, file).runs;
}

}  // namespace rooflab::analyze
