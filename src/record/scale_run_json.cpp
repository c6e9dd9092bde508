// The file of a data-parallel run, written and read: one function each way for every part, side by
// side. docs/formats/scale.md.

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::record {
namespace {

constexpr int scale_schema_version = 1;

Json to_json(const std::optional<RankKernels>& kernels) {
  if (!kernels) return nullptr;
  Json json;
  json["step_s"] = kernels->step_s;
  json["kernel_s"] = kernels->kernel_s;
  json["communication_s"] = kernels->communication_s;
  json["hidden_s"] = kernels->hidden_s;
  json["busy"] = kernels->busy;
  json["sm_efficiency"] = json_or_null(kernels->sm_efficiency);
  json["occupancy"] = json_or_null(kernels->occupancy);
  return json;
}

std::optional<RankKernels> read_kernels(const std::optional<JsonFields>& fields) {
  if (!fields) return std::nullopt;
  RankKernels kernels;
  kernels.step_s = fields->number("step_s");
  kernels.kernel_s = fields->number("kernel_s");
  kernels.communication_s = fields->number("communication_s");
  kernels.hidden_s = fields->number("hidden_s");
  kernels.busy = fields->number("busy");
  kernels.sm_efficiency = fields->optional_number("sm_efficiency");
  kernels.occupancy = fields->optional_number("occupancy");
  return kernels;
}

RankResult read_rank(const JsonFields& fields, const std::string& file) {
  RankResult rank;
  rank.rank = fields.small_integer("rank");
  rank.host = fields.text("host");
  (void)fields.object("device");  // an error then names it
  rank.device = device_identity_from_json(fields.value("device"), file);
  rank.steps_s = fields.numbers("steps_s");
  rank.alone_s = fields.optional_number("alone_s");
  rank.exchange_s = fields.optional_number("exchange_s");
  rank.kernels = read_kernels(fields.optional_object("kernels"));
  (void)fields.objects("samples");
  rank.samples = samples_from_json(fields.value("samples"), file);
  rank.allocated_peak = fields.optional_bytes("allocated_peak_bytes");
  rank.message = fields.text("message");
  return rank;
}

}  // namespace

Json to_json(const RankResult& rank) {
  Json json;
  json["rank"] = rank.rank;
  json["host"] = rank.host;
  json["device"] = to_json(rank.device);
  json["steps_s"] = rank.steps_s;
  json["alone_s"] = json_or_null(rank.alone_s);
  json["exchange_s"] = json_or_null(rank.exchange_s);
  json["kernels"] = to_json(rank.kernels);
  json["samples"] = to_json(rank.samples);
  json["allocated_peak_bytes"] = json_or_null(rank.allocated_peak);
  json["message"] = rank.message;
  return json;
}

RankResult rank_result_from_json(const Json& json, const std::string& file) {
  return read_rank(JsonFields(json, file), file);
}

Json to_json(const ScaleRun& run) {
  Json json;
  json["schema_version"] = scale_schema_version;
  json["kind"] = "scale_run";
  json["identity"] = to_json(run.identity);
  json["ranks_wanted"] = run.ranks_wanted;
  json["backend"] = run.backend;
  json["status"] = name_of(run.status);
  json["message"] = run.message;
  json["environment"] = to_json(run.environment);
  json["bucket_bytes"] = run.bucket_bytes;
  json["ranks"] = Json::array();
  for (const RankResult& rank : run.ranks) json["ranks"].push_back(to_json(rank));
  json["warnings"] = run.warnings;
  return json;
}

ScaleRun scale_run_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  fields.require_kind("scale_run", scale_schema_version, "data-parallel run",
                      "`rooflab scale -o DIR` writes them");
  ScaleRun run;
  run.identity = identity_from_json(fields.value("identity"), file);
  run.ranks_wanted = fields.small_integer("ranks_wanted");
  if (run.ranks_wanted < 1) fields.fail("ranks_wanted", "must be 1 or more");
  run.backend = fields.text("backend");
  const std::optional<Status> status = from_name<Status>(fields.text("status"));
  if (!status) fields.fail("status", "is no status that a run can have");
  run.status = *status;
  run.message = fields.text("message");
  run.environment = environment_from_json(fields.value("environment"), file);
  run.bucket_bytes = fields.integers("bucket_bytes");
  for (const JsonFields& rank : fields.objects("ranks")) run.ranks.push_back(read_rank(rank, file));
  run.warnings = fields.texts("warnings");
  return run;
}

ScaleRun read_scale_run(const std::filesystem::path& file) {
  return scale_run_from_json(parse_json(read_file(file), file.string()), file.string());
}

void write_scale_run(const std::filesystem::path& file, const ScaleRun& run) {
  write_file_atomically(file, to_json(run).dump(1) + "\n");
}

}  // namespace rooflab::record
