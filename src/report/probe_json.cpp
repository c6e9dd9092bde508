#include "probe_json.hpp"

#include <optional>
#include <string>

#include "link_table.hpp"
#include "probe_figures.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {
namespace {

Json figure_json(const device::MeasuredFigure& figure, const device::Device* known) {
  const std::optional<double> datasheet = datasheet_figure(figure.name, known);
  Json json;
  json["name"] = figure.name;
  json["unit"] = figure.unit;
  json["value"] = figure.value;
  json["least"] = figure.least;
  json["most"] = figure.most;
  json["repetitions"] = figure.repetitions;
  json["at"] = figure.at;
  json["datasheet"] = json_or_null(datasheet);
  json["fraction"] = json_or_null(quotient(figure.value, datasheet));
  return json;
}

Json vector_addition_json(const device::VectorAddition& row) {
  Json json;
  json["launch"] = row.launch;
  json["memory"] = row.memory;
  json["elements"] = row.elements;
  json["kernel_s"] = row.kernel_s;
  json["to_device_s"] = json_or_null(row.to_device_s);
  json["to_host_s"] = json_or_null(row.to_host_s);
  json["total_s"] = row.total_s;
  json["correct"] = row.correct;
  return json;
}

Json published_json(const device::PublishedRows& from) {
  Json json;
  json["origin"] = from.origin;
  json["rows"] = from.rows;
  json["too_short"] = from.too_short;
  json["outliers"] = from.outliers;
  json["launch_s"] = from.launch_s;
  json["error_of_all"] = from.error_of_all;
  json["error_of_kept"] = from.error_of_kept;
  json["factor"] = from.factor;
  json["spread"] = from.spread;
  return json;
}

Json op_table_json(const std::string& kind, const device::OpTable& table) {
  const bool fitted = !table.curve.empty();
  Json json;
  json["kind"] = kind;
  json["columns"] = table.columns;
  json["curve"] = table.curve;
  json["lengths"] = table.lengths;
  json["noise"] = fitted ? Json(table.noise) : Json();
  json["amplitude"] = fitted ? Json(table.amplitude) : Json();
  json["error"] = fitted ? Json(table.error) : Json();
  if (table.published) json["published"] = published_json(*table.published);
  json["rows"] = Json::array();
  for (const device::OpRow& row : table.rows) {
    json["rows"].push_back({{"sizes", row.sizes},
                            {"time_s", row.time_s},
                            {"workspace_bytes", json_or_null(row.workspace_bytes)}});
  }
  return json;
}

Json host_json(const device::HostCosts& host) {
  Json json;
  json["issuer"] = host.issuer;
  json["version"] = host.version;
  json["cpu"] = host.cpu;
  json["ops"] = Json::object();
  for (const auto& [name, cost] : host.ops) {
    json["ops"][name] = {{"inference_s", cost.inference_s},
                         {"forward_s", json_or_null(cost.forward_s)},
                         {"backward_s", json_or_null(cost.backward_s)}};
  }
  json["optimizer_fixed_s"] = host.optimizer_fixed_s;
  json["optimizer_per_tensor_s"] = host.optimizer_per_tensor_s;
  json["loss_s"] = host.loss_s;
  json["step_s"] = host.step_s;
  return json;
}

}  // namespace

Json probe_json(const device::Calibration& calibration, const device::Device* known) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = "probe";
  json["id"] = calibration.id;
  json["device"] = known == nullptr ? Json() : Json(known->id);
  json["device_name"] = calibration.device_name;
  json["made_by"] = calibration.command;
  json["environment"] = calibration.environment;
  json["figures"] = Json::array();
  for (const device::MeasuredFigure& figure : calibration.figures) {
    json["figures"].push_back(figure_json(figure, known));
  }
  json["vector_additions"] = Json::array();
  for (const device::VectorAddition& row : calibration.vector_additions) {
    json["vector_additions"].push_back(vector_addition_json(row));
  }
  json["links"] = link_rows_json(calibration, known);
  for (const auto& [name, origin] : calibration.origins) {
    json["origins"][name] = {{"title", origin.title},
                             {"url", origin.url},
                             {"license", origin.license},
                             {"environment", origin.environment}};
  }
  json["ops"] = Json::array();
  for (const auto& [kind, table] : calibration.ops) {
    json["ops"].push_back(op_table_json(kind, table));
  }
  json["hosts"] = Json::array();
  for (const device::HostCosts& host : calibration.hosts) json["hosts"].push_back(host_json(host));
  json["notes"] = calibration.notes;
  return json;
}

}  // namespace rooflab::report
