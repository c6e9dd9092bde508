#include "rooflab/base/schema.hpp"
#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::analyze {
namespace {

/// The keys of a case that are a record's own, under the names that a record has for them.
Json record_json_of(const Json& given, const JsonFields& fields) {
  Json identity = Json::object();
  for (const char* key : {"model", "device", "batch", "phase", "precision", "optimizer", "variant",
                          "rewrite", "data", "channels_last", "command", "graph"}) {
    identity[key] = fields.value(key);
  }
  Json json;
  json["schema_version"] = schema_version;
  json["kind"] = "record";
  json["identity"] = std::move(identity);
  for (const char* key : {"status", "message", "environment", "broken_data", "warnings"}) {
    json[key] = fields.value(key);
  }
  for (const char* key : {"energy_j", "memory"}) json[key] = given.value(key, Json());
  json["timing"] = nullptr;
  if (fields.has("time")) {
    json["timing"] = given["time"];
    // A median of each, where the record has a figure for every step.
    for (const char* key : {"data_s", "copy_s"}) {
      const Json& median = given["time"][key];
      json["timing"][key] = median.is_null() ? Json::array() : Json::array({median});
    }
  }
  json["layers"] = nullptr;
  if (fields.has("layers") && fields.has("layer_sum")) {
    const Json& sum = given["layer_sum"];
    Json& layers = json["layers"] = Json::object();
    layers["nodes"] = Json::array();
    for (const Json& layer : given["layers"]) {
      Json node = layer;
      node["node"] = layer.value("name", Json());
      layers["nodes"].push_back(std::move(node));
    }
    for (const char* key :
         {"repetitions", "sum_s", "whole_s", "synchronized_sum_s", "forward_whole_s"}) {
      layers[key] = sum.contains(key) ? sum[key] : Json();
    }
  }
  json["samples"] = Json::array();
  return json;
}

}  // namespace

std::vector<record::Record> measurements_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  std::vector<record::Record> records;
  const std::vector<JsonFields> cases = fields.objects("cases");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    records.push_back(from_file_json<record::Record>(record_json_of(json["cases"][i], cases[i]), file));
  }
  return records;
}

}  // namespace rooflab::analyze
