#include "scaling_json.hpp"

#include "rooflab/base/json_fields.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {
namespace {

using namespace analyze;

void add_exchange(const ScalingExchange& exchange, Json& json) {
  json["compute_s"] = json_or_null(exchange.compute_s);
  json["communication_s"] = json_or_null(exchange.communication_s);
  json["communication_share"] = json_or_null(exchange.communication_share);
  json["hidden_share"] = json_or_null(exchange.hidden_share);
  json["hidden_derived"] = exchange.hidden_derived;
}

Json step_json(const std::optional<ScalingStep>& step) {
  if (!step) return nullptr;
  Json json;
  json["step_s"] = json_or_null(step->step_s);
  json["step_low_s"] = json_or_null(step->step_low_s);
  json["step_high_s"] = json_or_null(step->step_high_s);
  json["samples_per_s"] = json_or_null(step->samples_per_s);
  json["speedup"] = json_or_null(step->speedup);
  json["efficiency"] = json_or_null(step->efficiency);
  add_exchange(step->exchange, json);
  json["slowdown"] = json_or_null(step->slowdown);
  json["bucket_bytes"] = Json::array();
  for (const double bytes : step->bucket_bytes) json["bucket_bytes"].push_back(count_json(bytes));
  return json;
}

Json rank_json(const ScalingRank& rank) {
  Json json;
  json["rank"] = rank.rank;
  json["host"] = rank.host;
  json["device"] = rank.device;
  json["device_name"] = rank.device_name;
  json["step_s"] = json_or_null(rank.step_s);
  json["slowest"] = rank.slowest;
  json["utilization"] = json_or_null(rank.utilization);
  json["busy_share"] = json_or_null(rank.busy_share);
  json["sm_efficiency"] = json_or_null(rank.sm_efficiency);
  json["occupancy"] = json_or_null(rank.occupancy);
  json["communication_kernel_share"] = json_or_null(rank.communication_kernel_share);
  add_exchange(rank.exchange, json);
  json["message"] = rank.message;
  return json;
}

Json row_json(const ScalingRow& row) {
  Json json;
  json["devices"] = row.devices;
  json["batch_per_device"] = row.batch_per_device;
  json["global_batch"] = row.global_batch;
  json["status"] = row.status ? Json(name_of(*row.status)) : Json();
  json["message"] = row.message;
  json["measured"] = step_json(row.measured);
  json["predicted"] = step_json(row.predicted);
  json["measured_over_predicted"] = json_or_null(row.measured_over_predicted);
  json["imbalance"] = json_or_null(row.imbalance);
  json["ranks"] = Json::array();
  for (const ScalingRank& rank : row.ranks) json["ranks"].push_back(rank_json(rank));
  json["warnings"] = row.warnings;
  json["command_line"] = row.command_line;
  return json;
}

Json basis_json(const std::optional<ScalingBasis>& basis) {
  if (!basis) return nullptr;
  Json json;
  json["prediction_model"] = name_of(basis->model);
  json["link"] = basis->link;
  json["link_bytes_per_s"] = basis->link_bytes_per_s;
  json["link_latency_s"] = basis->link_latency_s;
  json["all_reduce"] = name_of(basis->all_reduce);
  json["one_device_step_s"] = json_or_null(basis->one_device_step_s);
  return json;
}

}  // namespace

Json scaling_json(const Scaling& scaling, std::string_view command) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = command;
  json["series"] = Json::array();
  for (const ScalingSeries& series : scaling.series) {
    Json entry;
    entry["model"] = series.model;
    entry["variant"] = series.variant;
    entry["device"] = series.device;
    entry["precision"] = name_of(series.precision);
    entry["phase"] = "training";
    entry["backend"] = series.backend;
    entry["scaling"] = name_of(series.kind);
    entry["batch"] = json_or_null(series.batch);
    entry["prediction"] = basis_json(series.basis);
    entry["rows"] = Json::array();
    for (const ScalingRow& row : series.rows) entry["rows"].push_back(row_json(row));
    entry["findings"] = series.findings;
    entry["notes"] = series.notes;
    entry["command_line"] = series.command_line;
    json["series"].push_back(std::move(entry));
  }
  json["notes"] = scaling.notes;
  return json;
}

}  // namespace rooflab::report
