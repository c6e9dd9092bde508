#include <algorithm>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"
#include "system/path_status.hpp"

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

std::vector<Comparand> read_cases(const Json& json, const std::string& file) {
  const std::string command = JsonFields(json, file).optional_text("command").value_or("");
  std::vector<Comparand> cases;
  const auto add = [&](const auto& results) {
    for (const auto& each : results) cases.push_back(comparand_of(each, file));
  };
  if (command == "measure") {
    add(measurements_from_json(json, file));
  } else if (command == "predict") {
    add(predictions_from_json(json, file));
  } else {
    throw_unreadable(
        file, "this is neither the record of a timed case nor the JSON of measure or predict");
  }
  if (cases.empty()) throw_unreadable(file, "this file holds no case");
  return cases;
}

/// Another tool's recording has no timed steps, and does not say what case it is of.
bool is_of_a_case(const record::Record& record) {
  return record.timing || record.status != record::Status::ok || record.identity.batch.known();
}

/// nullopt: not the record of a case.
std::optional<Comparand> read_record(const Json& json, const std::string& file) {
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  if (!json.is_object() || kind == json.end() || *kind != "record") return std::nullopt;
  const auto record = from_file_json<record::Record>(json, file);
  return is_of_a_case(record) ? std::optional(comparand_of(record, file)) : std::nullopt;
}

/// A folder may hold other JSON files; only its records count.
std::vector<Comparand> read_folder(const fs::path& folder) {
  std::vector<Comparand> cases;
  for (const fs::path& file : files_in(folder, ".json")) {
    auto record = read_record(read_json_file(file), file.string());
    if (record) cases.push_back(*std::move(record));
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
  put(result.facts, "worker", identity.worker.value_or(""));
  if (identity.channels_last) put(result.facts, "channels_last", "yes");
  add_environment(result.facts, record.environment);
  if (record.issue_costs && !identity.graph.empty()) {
    record::Record run;  // without its samples and kernels
    run.identity = identity;
    run.environment = record.environment;
    run.issue_costs = record.issue_costs;
    result.run = std::make_shared<const record::Record>(std::move(run));
  }
  return result;
}

Comparand comparand_of(const CaseResult& predicted, std::string source) {
  Comparand result;
  result.source = std::move(source);
  result.measured = false;
  result.model = predicted.model;
  result.device = predicted.device.id;
  result.batch = predicted.batch;
  result.phase = predicted.phase;
  result.precision = predicted.precision;
  result.time_of = predicted.prediction_model;
  const bool bound = predicted.prediction_model == PredictionModel::limit;
  const std::optional<Seconds> time = bound ? predicted.limit.time : predicted.predicted_time();
  if (time) result.time_s = time->value;
  if (predicted.has_interval()) {
    result.time_low_s = predicted.prediction->low.value;
    result.time_high_s = predicted.prediction->high.value;
  }
  result.allocated_peak = predicted.memory.allocated_peak;
  if (predicted.calibration) put(result.facts, "calibration", predicted.calibration->id);
  put(result.facts, "issued by", predicted.issued_by);
  if (predicted.context) put(result.facts, "context", std::to_string(*predicted.context));
  put(result.facts, "rewrite", predicted.rewrite);
  put(result.facts, "device", result.device);
  result.prediction = std::make_shared<const CaseResult>(predicted);
  return result;
}

std::vector<Comparand> read_comparands(const fs::path& path) {
  if (is_folder(path)) return read_folder(path);
  const std::string file = path.string();
  const Json json = read_json_file(path);
  if (!json.is_object()) throw_unreadable(file, "this is not a result of Rooflab");
  if (auto record = read_record(json, file)) return {*std::move(record)};
  return read_cases(json, file);
}

}  // namespace rooflab::analyze
