#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/record/stage_run.hpp"

namespace rooflab::record {
namespace {

constexpr int stage_run_version = 1;

Json to_json(const StageResult& stage) {
  return {{"first", stage.first},
          {"last", stage.last},
          {"device", to_json(stage.device)},
          {"time_s", stage.time_s},
          {"transfer_s", stage.transfer_s},
          {"received_bytes", stage.received.value()},
          {"allocated_peak_bytes", json_or_null(stage.allocated_peak)}};
}

StageResult read_stage(const JsonFields& fields, const std::string& file) {
  StageResult stage;
  stage.first = fields.text("first");
  stage.last = fields.text("last");
  stage.device = device_identity_from_json(fields.value("device"), file);
  stage.time_s = fields.number("time_s");
  stage.transfer_s = fields.number("transfer_s");
  stage.received = Bytes(fields.integer("received_bytes"));
  stage.allocated_peak = fields.optional_bytes("allocated_peak_bytes");
  return stage;
}

Status read_status(const JsonFields& fields) {
  const std::optional<Status> status = from_name<Status>(fields.text("status"));
  if (!status) fields.fail("status", "is no status of a run");
  return *status;
}

}  // namespace

Json to_json(const StageRun& run) {
  Json json;
  json["schema_version"] = stage_run_version;
  json["kind"] = "stage_run";
  json["identity"] = to_json(run.identity);
  json["cuts"] = run.cuts;
  json["micro_batches"] = run.micro_batches;
  json["status"] = name_of(run.status);
  json["message"] = run.message;
  json["environment"] = to_json(run.environment);
  json["steps_s"] = run.steps_s;
  json["stages"] = Json::array();
  for (const StageResult& stage : run.stages) json["stages"].push_back(to_json(stage));
  json["warnings"] = run.warnings;
  return json;
}

StageRun stage_run_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  fields.require_kind("stage_run", stage_run_version, "run in stages");
  StageRun run;
  run.identity = identity_from_json(fields.value("identity"), file);
  run.cuts = fields.integers("cuts");
  run.micro_batches = fields.small_integer("micro_batches");
  run.status = read_status(fields);
  run.message = fields.text("message");
  run.environment = environment_from_json(fields.value("environment"), file);
  run.steps_s = fields.numbers("steps_s");
  for (const JsonFields& stage : fields.objects("stages")) {
    run.stages.push_back(read_stage(stage, file));
  }
  run.warnings = fields.texts("warnings");
  return run;
}

StageRun read_stage_run(const std::filesystem::path& file) {
  return stage_run_from_json(parse_json(read_file(file), file.string()), file.string());
}

void write_stage_run(const std::filesystem::path& file, const StageRun& run) {
  write_file_atomically(file, to_json(run).dump(1));
}

}  // namespace rooflab::record
