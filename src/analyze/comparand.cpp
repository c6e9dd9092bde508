#include "rooflab/analyze/comparand.hpp"

#include <algorithm>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/record/record_json.hpp"

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

void add_environment(std::map<std::string, std::string>& facts,
                     const record::Environment& environment) {
  put(facts, "processor", environment.device.name);
  if (environment.device.driver) put(facts, "driver", *environment.device.driver);
  for (const auto& [library, version] : environment.libraries) put(facts, library, version);
  if (environment.threads) put(facts, "threads", std::to_string(*environment.threads));
}

/// `cuda:0 (NVIDIA H200)`.
std::string device_label(const std::string& device, const std::string& name) {
  return name.empty() ? device : format("{} ({})", device, name);
}

Phase read_phase(const JsonFields& fields) {
  const std::optional<Phase> phase = from_name<Phase>(fields.text("phase"));
  if (!phase) fields.fail("phase", "must be inference, forward or training");
  return *phase;
}

Precision read_precision(const JsonFields& fields) {
  const std::optional<Precision> precision = from_name<Precision>(fields.text("precision"));
  if (!precision) fields.fail("precision", "is unknown");
  return *precision;
}

/// The keys that a case of `measure` and one of `predict` share.
Comparand read_case(const JsonFields& fields, const std::string& source) {
  Comparand result;
  result.source = source;
  result.model = fields.text("model");
  result.device = fields.text("device");
  result.batch = fields.integer("batch");
  result.phase = read_phase(fields);
  result.precision = read_precision(fields);
  return result;
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
  Comparand result = read_case(fields, source);
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

Comparand read_measured(const JsonFields& fields, const std::string& source) {
  Comparand result = read_case(fields, source);
  const std::optional<record::Status> status = from_name<record::Status>(fields.text("status"));
  if (!status) fields.fail("status", "is unknown");
  result.status = *status;
  put(result.facts, "device", result.device);
  for (const char* key : {"optimizer", "variant", "rewrite", "data"}) {
    put(result.facts, key, fields.optional_text(key).value_or(""));
  }
  if (fields.optional_flag("channels_last").value_or(false))
    put(result.facts, "channels_last", "yes");
  if (const auto time = fields.optional_object("time")) {
    result.steps_s = time->numbers("steps_s");
    result.time_s = time->optional_number("median_s");
    result.time_low_s = time->optional_number("median_low_s");
    result.time_high_s = time->optional_number("median_high_s");
  }
  if (const auto memory = fields.optional_object("memory")) {
    result.allocated_peak = memory->optional_bytes("allocated_peak_bytes");
  }
  result.energy_j = fields.optional_number("energy_j");
  if (const auto environment = fields.optional_object("environment")) {
    const JsonFields device = environment->object("device");
    result.device = device_label(result.device, device.text("name"));
    put(result.facts, "processor", device.text("name"));
    put(result.facts, "driver", device.optional_text("driver").value_or(""));
    for (const auto& [library, version] : environment->text_map("libraries")) {
      put(result.facts, library, version);
    }
    if (const auto threads = environment->optional_integer("threads")) {
      put(result.facts, "threads", std::to_string(*threads));
    }
  }
  return result;
}

std::vector<Comparand> read_cases(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  const std::string command = fields.optional_text("command").value_or("");
  if (command != "measure" && command != "predict") {
    throw_unreadable(file, "this is neither a record nor the JSON of measure or predict");
  }
  std::vector<Comparand> cases;
  for (const JsonFields& each : fields.objects("cases")) {
    cases.push_back(command == "measure" ? read_measured(each, file) : read_predicted(each, file));
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
    cases.push_back(comparand_of(record::record_from_json(json, file.string()), file.string()));
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
  result.device = device_label(identity.device, record.environment.device.name);
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
  add_environment(result.facts, record.environment);
  return result;
}

std::vector<Comparand> read_comparands(const fs::path& path) {
  std::error_code status;
  if (fs::is_directory(path, status)) return read_folder(path);
  const std::string file = path.string();
  const Json json = parse_json(read_file(path), file);
  if (!json.is_object()) throw_unreadable(file, "this is no result of Rooflab");
  if (is_record(json)) return {comparand_of(record::record_from_json(json, file), file)};
  return read_cases(json, file);
}

}  // namespace rooflab::analyze
