#include "rooflab/base/fields.hpp"
#include "rooflab/engine/case.hpp"

#include "request_head.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/graph/text_form.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::engine {
namespace {

Json to_json(const MeasureSettings& settings) {
  return {{"iterations", settings.iterations},
          {"min_time_s", settings.min_time_s},
          {"max_time_s", settings.max_time_s},
          {"warmup_time_s", settings.warmup_time_s},
          {"per_layer", settings.per_layer},
          {"counters", settings.counters},
          {"threads", settings.threads},
          {"seed", settings.seed},
          {"cudnn_benchmark", settings.cudnn_benchmark},
          {"sample_period_s", settings.sample_period_s},
          {"data_workers", settings.data_workers},
          {"memory_limit_bytes", settings.memory_limit_bytes}};
}

MeasureSettings read_settings(const JsonFields& fields) {
  MeasureSettings settings;
  settings.iterations = fields.small_integer("iterations");
  settings.min_time_s = fields.number("min_time_s");
  settings.max_time_s = fields.number("max_time_s");
  settings.warmup_time_s = fields.number("warmup_time_s");
  settings.per_layer = fields.flag("per_layer");
  settings.counters = fields.flag("counters");
  settings.threads = fields.small_integer("threads");
  settings.seed = fields.natural("seed");
  settings.cudnn_benchmark = fields.flag("cudnn_benchmark");
  settings.sample_period_s = fields.number("sample_period_s");
  settings.data_workers = fields.small_integer("data_workers");
  settings.memory_limit_bytes = fields.integer("memory_limit_bytes");
  if (settings.memory_limit_bytes < 0) fields.fail("memory_limit_bytes", "must be 0 or more");
  return settings;
}

WeightSource read_weight_source(const JsonFields& fields) {
  if (const auto source = from_name<WeightSource>(fields.text("weights"))) return *source;
  fields.fail("weights", "must be random, formula, file or he");
}

}  // namespace

Json to_json(const Case& request) {
  record::CaseIdentity identity = request.identity;
  identity.graph = graph::to_text(request.graph);
  Json json;
  json["schema_version"] = request_schema_version;
  json["kind"] = "case";
  json["identity"] = rooflab::to_json(identity);
  json["settings"] = to_json(request.settings);
  json["weights"] = name_of(request.weights);
  json["values"] = Json::object();
  for (const auto& [name, source] : request.values) {
    json["values"][name] = {{"file", source.file.string()}, {"offset", source.offset}};
  }
  json["outputs"] = request.outputs ? Json(request.outputs->string()) : Json(nullptr);
  return json;
}

Case case_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  check_head(fields, "case");
  Case request;
  request.identity = from_json<record::CaseIdentity>(fields.object("identity"));
  request.graph = graph::parse_text(request.identity.graph, file + " (graph)");
  request.settings = read_settings(fields.object("settings"));
  request.weights = read_weight_source(fields);
  const JsonFields values = fields.object("values");
  for (const auto& [name, entry] : fields.value("values").items()) {
    const JsonFields source = values.object(name);
    request.values[name] = {source.text("file"), source.integer("offset")};
  }
  if (const auto outputs = fields.optional_text("outputs")) request.outputs = *outputs;
  return request;
}

}  // namespace rooflab::engine
