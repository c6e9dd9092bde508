#include "rooflab/analyze/comparand.hpp"

#include <algorithm>

#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::analyze {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unreadable(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::input, what,
              "compare reads records (measure -o DIR) and the JSON of measure and predict",
              {file, {}, {}, {}});
}

void put(std::map<std::string, std::string>& facts, const std::string& name,
         const std::string& value) {
  if (!value.empty()) facts[name] = value;
}

/// The main time of a case of `predict`; files of before there were predictions hold the limit.
void read_predicted_time(const JsonFields& fields, Comparand& result) {
  const std::string model = fields.optional_text("prediction_model").value_or("limit");
  if (model == name_of(PredictionModel::calibrated)) {
    result.time_of = PredictionModel::calibrated;
    result.time_s = fields.optional_number("predicted_time_s");
    result.time_low_s = fields.optional_number("low_s");
    result.time_high_s = fields.optional_number("high_s");
  } else if (model == name_of(PredictionModel::ppp)) {
    result.time_of = PredictionModel::ppp;
    result.time_s = fields.optional_number("ppp_time_s");
  } else if (model == name_of(PredictionModel::limit)) {
    result.time_s = fields.optional_number("limit_time_s");
  } else {
    fields.fail("prediction_model", "is unknown");
  }
}

Comparand read_predicted(const JsonFields& fields, const std::string& source) {
  Comparand result;
  result.source = source;
  result.model = fields.text("model");
  result.device = fields.text("device");
  result.batch = fields.integer("batch");
  codec::decode(result.phase, fields.at("phase"));
  codec::decode(result.precision, fields.at("precision"));
  result.measured = false;
  read_predicted_time(fields, result);
  result.allocated_peak = fields.object("memory").optional_bytes("allocated_peak_bytes");
  if (const auto calibration = fields.optional_object("calibration")) {
    put(result.facts, "calibration", calibration->text("id"));
  }
  put(result.facts, "issued by", fields.optional_text("issued_by").value_or(""));
  put(result.facts, "device", result.device);
  return result;
}

std::vector<Comparand> read_cases(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  const std::string command = fields.optional_text("command").value_or("");
  if (command != "measure" && command != "predict") {
    throw_unreadable(file, "this is neither a record nor the JSON of measure or predict");
  }
  std::vector<Comparand> cases;
  if (command == "measure") {
    for (const record::Record& record : measurements_from_json(json, file)) {
      cases.push_back(comparand_of(record, file));
    }
  } else {
    for (const JsonFields& each : fields.objects("cases")) {
      cases.push_back(read_predicted(each, file));
    }
  }
  if (cases.empty()) throw_unreadable(file, "this file holds no case");
  return cases;
}

bool is_record(const Json& json) {
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  return json.is_object() && kind != json.end() && *kind == "record";
}

/// A folder may hold other JSON files; only its records count.
std::vector<Comparand> read_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json")
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Comparand> cases;
  for (const fs::path& file : files) {
    const Json json = parse_json(read_file(file), file.string());
    if (!is_record(json)) continue;
    cases.push_back(
        comparand_of(from_file_json<record::Record>(json, file.string()), file.string()));
  }
  if (cases.empty()) throw_unreadable(folder.string(), "this folder holds no record");
  return cases;
}

}  // namespace

Comparand comparand_of(const record::Record& record, std::string source) {
  const record::CaseIdentity& identity = record.identity;
  Comparand result;
  result.source = std::move(source);
  result.model = identity.model;
  const std::string& name = record.environment.device.name;
  result.device = name.empty() ? identity.device : format("{} ({})", identity.device, name);
  result.batch = identity.batch;
  result.phase = identity.phase;
  result.precision = identity.precision;
  result.status = record.status;
  if (record.timing && !record.timing->steps_s.empty()) {
    const Statistics steps = statistics_of(record.timing->steps_s);
    result.steps_s = record.timing->steps_s;
    result.time_s = steps.median;
    result.time_low_s = steps.median_low;
    result.time_high_s = steps.median_high;
  }
  if (record.memory) result.allocated_peak = record.memory->allocated_peak;
  result.energy_j = record.energy_j;
  put(result.facts, "device", identity.device);
  put(result.facts, "optimizer", identity.optimizer);
  put(result.facts, "variant", identity.variant);
  put(result.facts, "rewrite", identity.rewrite);
  put(result.facts, "data", identity.data);
  if (identity.channels_last) put(result.facts, "channels_last", "yes");
  const record::Environment& environment = record.environment;
  put(result.facts, "processor", environment.device.name);
  put(result.facts, "driver", environment.device.driver.value_or(""));
  for (const auto& [library, version] : environment.libraries) put(result.facts, library, version);
  if (environment.threads) put(result.facts, "threads", std::to_string(*environment.threads));
  return result;
}

std::vector<Comparand> read_comparands(const fs::path& path) {
  std::error_code status;
  if (fs::is_directory(path, status)) return read_folder(path);
  const std::string file = path.string();
  const Json json = parse_json(read_file(path), file);
  if (!json.is_object()) throw_unreadable(file, "this is no result of Rooflab");
  if (is_record(json)) return {comparand_of(from_file_json<record::Record>(json, file), file)};
  return read_cases(json, file);
}

}  // namespace rooflab::analyze
