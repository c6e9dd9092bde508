#include "rooflab/base/schema.hpp"
#include "rooflab/engine/stages.hpp"

#include "request_head.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/temporary_folder.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

}  // namespace

Json to_json(const StageRequest& request) {
  Json json;
  json["schema_version"] = request_schema_version;
  json["kind"] = "stage_request";
  json["case"] = to_json(request.request);
  json["cuts"] = request.cuts;
  json["devices"] = request.devices;
  json["micro_batches"] = request.micro_batches;
  json["warmup_steps"] = request.warmup_steps;
  return json;
}

StageRequest stage_request_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  check_head(fields, "stage_request");
  StageRequest request;
  request.request = case_from_json(fields.value("case"), file);
  for (const std::int64_t cut : fields.integers("cuts")) {
    request.cuts.push_back(static_cast<graph::NodeId>(cut));
  }
  request.devices = fields.texts("devices");
  if (request.devices.size() != request.cuts.size() + 1) {
    fields.fail("devices", format("must be one more than the {} cuts", request.cuts.size()));
  }
  request.micro_batches = fields.small_integer("micro_batches");
  request.warmup_steps = fields.small_integer("warmup_steps");
  return request;
}

record::StageRun run_stages(const StageRequest& request, const RunOptions& options) {
  const TemporaryFolder folder("stages");
  const fs::path request_file = folder.file("request.json");
  const fs::path result_file = folder.file("result.json");
  write_file_atomically(request_file, to_json(request).dump());
  const ChildResult child = run_worker(options, "stages", request_file, result_file);

  record::StageRun run;
  const WorkerEnd end = end_of(child);
  run.status = end.status;
  run.message = end.message;
  std::error_code ignored;
  if (!child.stopped && !child.timed_out && fs::is_regular_file(result_file, ignored)) {
    try {
      return load_file<record::StageRun>(result_file);
    } catch (const Error& error) {
      run.message = format("the worker wrote a result that cannot be read: {}", error.what());
    }
  }
  run.identity = request.request.identity;
  run.environment.command = request.request.identity.command;
  run.environment.device.kind =
      request.devices.front().substr(0, request.devices.front().find(':'));
  run.cuts.assign(request.cuts.begin(), request.cuts.end());
  run.micro_batches = request.micro_batches;
  return run;
}

}  // namespace rooflab::engine
