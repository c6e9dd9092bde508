#include "request_head.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/engine/ranks.hpp"

namespace rooflab::engine {
namespace {

std::vector<std::string> read_devices(const JsonFields& fields) {
  std::vector<std::string> devices = fields.texts("devices");
  if (devices.empty()) fields.fail("devices", "must name one device at least");
  return devices;
}

}  // namespace

Json to_json(const ScaleRequest& request) {
  Json json;
  json["schema_version"] = request_schema_version;
  json["kind"] = "scale_request";
  json["case"] = to_json(request.request);
  json["devices"] = request.devices;
  json["timeout_s"] = request.timeout_s;
  json["exchange_alone"] = request.exchange_alone;
  json["kernels"] = request.kernels;
  return json;
}

ScaleRequest scale_request_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  check_head(fields, "scale_request");
  ScaleRequest request;
  request.request = case_from_json(fields.value("case"), file);
  request.devices = read_devices(fields);
  request.timeout_s = fields.number("timeout_s");
  request.exchange_alone = fields.flag("exchange_alone");
  request.kernels = fields.flag("kernels");
  return request;
}

Json to_json(const LinkRequest& request) {
  return {{"schema_version", request_schema_version},
          {"kind", "link_request"},
          {"devices", request.devices},
          {"timeout_s", request.timeout_s}};
}

LinkRequest link_request_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  check_head(fields, "link_request");
  return {read_devices(fields), fields.number("timeout_s")};
}

Json to_json(const LinkProbe& probe) {
  Json json;
  json["backend"] = probe.backend;
  json["message"] = probe.message;
  json["times"] = Json::array();
  for (const LinkTime& row : probe.times) {
    json["times"].push_back({{"collective", row.collective},
                             {"ranks", row.ranks},
                             {"bytes", row.bytes},
                             {"time_s", row.time_s},
                             {"least_s", row.least_s},
                             {"most_s", row.most_s}});
  }
  return json;
}

LinkProbe link_probe_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  LinkProbe probe;
  probe.backend = fields.text("backend");
  probe.message = fields.text("message");
  for (const JsonFields& row : fields.objects("times")) {
    probe.times.push_back({row.small_integer("ranks"), row.number("bytes"), row.number("time_s"),
                           row.number("least_s"), row.number("most_s"), row.text("collective")});
  }
  return probe;
}

}  // namespace rooflab::engine
