#include "scale_json.hpp"

#include "rooflab/base/json_fields.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {
namespace {

Json rank_json(const analyze::ScalingRank& rank) {
  Json json;
  json["rank"] = rank.rank;
  json["host"] = rank.host;
  json["device"] = rank.device;
  json["device_name"] = rank.device_name;
  json["step_s"] = json_or_null(rank.step_s);
  json["slowest"] = rank.slowest;
  json["utilization"] = json_or_null(rank.utilization);
  json["busy"] = json_or_null(rank.busy);
  json["sm_efficiency"] = json_or_null(rank.sm_efficiency);
  json["occupancy"] = json_or_null(rank.occupancy);
  json["exchange_s"] = json_or_null(rank.exchange_s);
  json["exposed_s"] = json_or_null(rank.exposed_s);
  json["communication_of_kernels"] = json_or_null(rank.communication_of_kernels);
  json["communication_of_step"] = json_or_null(rank.communication_of_step);
  json["hidden"] = json_or_null(rank.hidden);
  json["hidden_derived"] = rank.hidden_derived;
  json["message"] = rank.message;
  return json;
}

Json predicted_json(const analyze::ScalingRow& row) {
  if (!row.predicted) return {};
  const bool interval = row.predicted->low < row.predicted->high;
  Json json;
  json["step_s"] = row.predicted->time.value;
  json["step_low_s"] = interval ? Json(row.predicted->low.value) : Json();
  json["step_high_s"] = interval ? Json(row.predicted->high.value) : Json();
  json["communication_s"] = row.predicted->communication.value;
  json["hidden_s"] = row.predicted->hidden.value;
  json["images_per_s"] = row.predicted->images_per_s;
  json["speedup"] = json_or_null(row.predicted_speedup);
  json["measured_over_predicted"] = json_or_null(row.predicted_ratio);
  return json;
}

Json row_json(const analyze::ScalingRow& row) {
  Json json;
  json["gpus"] = row.gpus;
  json["batch_per_gpu"] = row.batch_per_gpu;
  json["global_batch"] = row.global_batch;
  json["status"] = name_of(row.run.status);
  json["message"] = row.run.message;
  json["step_s"] = json_or_null(row.step_s);
  json["images_per_s"] = json_or_null(row.images_per_s);
  json["speedup"] = json_or_null(row.speedup);
  json["efficiency"] = json_or_null(row.efficiency);
  json["communication_of_step"] = json_or_null(row.communication_of_step);
  json["hidden"] = json_or_null(row.hidden);
  json["hidden_derived"] = row.hidden_derived;
  json["imbalance"] = json_or_null(row.imbalance);
  json["bucket_bytes"] = row.run.bucket_bytes;
  json["predicted"] = predicted_json(row);
  json["ranks"] = Json::array();
  for (const analyze::ScalingRank& rank : row.ranks) json["ranks"].push_back(rank_json(rank));
  json["warnings"] = row.run.warnings;
  json["command"] = row.run.identity.command;
  return json;
}

}  // namespace

Json scale_json(const analyze::ScalingStudy& study) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = "scale";
  json["series"] = Json::array();
  for (const analyze::ScalingSeries& series : study.series) {
    Json entry;
    entry["model"] = series.model;
    entry["variant"] = series.variant;
    entry["precision"] = series.precision;
    entry["backend"] = series.backend;
    entry["scaling"] = name_of(series.scaling);
    entry["batch"] = series.batch > 0 ? Json(series.batch) : Json();
    entry["rows"] = Json::array();
    for (const analyze::ScalingRow& row : series.rows) entry["rows"].push_back(row_json(row));
    entry["findings"] = series.findings;
    json["series"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace rooflab::report
