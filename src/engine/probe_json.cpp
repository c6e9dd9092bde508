// Requests and results of probes as JSON. Keys are the names of the members; what is absent is
// null.

#include <array>
#include <string_view>

#include "request_head.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/engine/probe.hpp"

namespace rooflab::engine {
namespace {

struct ResultField {
  std::string_view key;
  std::optional<double> ProbeResult::*member;
};

constexpr std::array time_fields = {
    ResultField{"forward_s", &ProbeResult::forward_s},
    ResultField{"data_gradient_s", &ProbeResult::data_gradient_s},
    ResultField{"weight_gradient_s", &ProbeResult::weight_gradient_s},
    ResultField{"gradients_s", &ProbeResult::gradients_s},
    ResultField{"optimizer_s", &ProbeResult::optimizer_s},
    ResultField{"issue_s", &ProbeResult::issue_s},
};
constexpr std::array byte_fields = {
    ResultField{"forward_peak_bytes", &ProbeResult::forward_peak_bytes},
    ResultField{"data_gradient_peak_bytes", &ProbeResult::data_gradient_peak_bytes},
    ResultField{"weight_gradient_peak_bytes", &ProbeResult::weight_gradient_peak_bytes},
    ResultField{"gradients_peak_bytes", &ProbeResult::gradients_peak_bytes},
};

Json head(std::string_view kind, const std::string& device) {
  return {{"schema_version", request_schema_version}, {"kind", kind}, {"device", device}};
}

Json to_json(const ProbeItem& item) {
  return {{"kind", name_of(item.kind)},           {"graph", item.graph},
          {"precision", name_of(item.precision)}, {"channels_last", item.channels_last},
          {"gradients", item.gradients},          {"optimizer", item.optimizer}};
}

ProbeKind read_kind(const JsonFields& fields) {
  if (const auto kind = from_name<ProbeKind>(fields.text("kind"))) return *kind;
  fields.fail("kind", "must be op, chain or optimizer");
}

ProbeItem read_item(const JsonFields& fields) {
  ProbeItem item;
  item.kind = read_kind(fields);
  item.graph = fields.text("graph");
  const auto precision = from_name<Precision>(fields.text("precision"));
  if (precision != Precision::fp32 && precision != Precision::tf32) {
    fields.fail("precision", "must be fp32 or tf32");
  }
  item.precision = *precision;
  item.channels_last = fields.flag("channels_last");
  item.gradients = fields.flag("gradients");
  item.optimizer = fields.text("optimizer");
  return item;
}

}  // namespace

Json to_json(const OpProbeRequest& request) {
  Json json = head("op_probe", request.device);
  json["budget_s"] = request.budget_s;
  json["items"] = Json::array();
  for (const ProbeItem& item : request.items) json["items"].push_back(to_json(item));
  return json;
}

OpProbeRequest op_probe_request_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  check_head(fields, "op_probe");
  OpProbeRequest request;
  request.device = fields.text("device");
  request.budget_s = fields.number("budget_s");
  for (const JsonFields& item : fields.objects("items")) request.items.push_back(read_item(item));
  return request;
}

Json to_json(const DeviceProbeRequest& request) {
  Json json = head("device_probe", request.device);
  json["quick"] = request.quick;
  json["parts"] = request.parts;
  return json;
}

DeviceProbeRequest device_probe_request_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  check_head(fields, "device_probe");
  return {.device = fields.text("device"),
          .quick = fields.flag("quick"),
          .parts = fields.texts("parts")};
}

Json to_json(const ProbeResult& result) {
  Json json = {{"item", result.item}};
  for (const ResultField& field : time_fields) json[field.key] = json_or_null(result.*field.member);
  for (const ResultField& field : byte_fields)
    json[field.key] = count_or_null(result.*field.member);
  json["spread"] = result.spread;
  json["message"] = result.message;
  return json;
}

ProbeResult probe_result_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  ProbeResult result;
  const std::int64_t item = fields.integer("item");
  if (item < 0) fields.fail("item", "must be 0 or more");
  result.item = static_cast<std::size_t>(item);
  for (const ResultField& field : time_fields) {
    result.*field.member = fields.optional_number(field.key);
  }
  for (const ResultField& field : byte_fields) {
    result.*field.member = fields.optional_number(field.key);
  }
  result.spread = fields.number("spread");
  result.message = fields.text("message");
  return result;
}

Json to_json(const device::MeasuredFigure& figure) {
  return {{"name", figure.name},   {"unit", figure.unit}, {"value", figure.value},
          {"least", figure.least}, {"most", figure.most}, {"repetitions", figure.repetitions},
          {"at", figure.at}};
}

device::MeasuredFigure measured_figure_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  return {.name = fields.text("name"),
          .unit = fields.text("unit"),
          .value = fields.number("value"),
          .least = fields.number("least"),
          .most = fields.number("most"),
          .repetitions = fields.small_integer("repetitions"),
          .at = fields.text("at")};
}

Json to_json(const device::VectorAddition& row) {
  return {{"launch", row.launch},
          {"memory", row.memory},
          {"elements", row.elements},
          {"kernel_s", row.kernel_s},
          {"to_device_s", json_or_null(row.to_device_s)},
          {"to_host_s", json_or_null(row.to_host_s)},
          {"total_s", row.total_s},
          {"correct", row.correct}};
}

device::VectorAddition vector_addition_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  return {.launch = fields.text("launch"),
          .memory = fields.text("memory"),
          .elements = fields.integer("elements"),
          .kernel_s = fields.number("kernel_s"),
          .to_device_s = fields.optional_number("to_device_s"),
          .to_host_s = fields.optional_number("to_host_s"),
          .total_s = fields.number("total_s"),
          .correct = fields.flag("correct")};
}

}  // namespace rooflab::engine
