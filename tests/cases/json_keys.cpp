#include "json_keys.hpp"

#include <algorithm>
#include <optional>

#include "rooflab/base/figure.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/base/schema.hpp"

namespace {

using rooflab::Json;

void walk(const Json& json, const std::string& place, std::string_view key,
          std::vector<std::string>& unknown) {
  if (json.is_array()) {
    for (const Json& each : json) walk(each, place + "[]", key, unknown);
    return;
  }
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items()) {
    const std::string at = place.empty() ? name : place + "." + name;
    const bool known = rooflab::has_free_keys(key) || rooflab::find_figure(name) != nullptr;
    if (!known && std::ranges::find(unknown, at) == unknown.end()) unknown.push_back(at);
    walk(value, at, name, unknown);
  }
}

}  // namespace

std::vector<std::string> unknown_keys(std::string_view text) {
  if (text.empty() || text.front() != '{') return {};
  const std::optional<Json> json = Json::parse_if_valid(text);
  if (!json || json->value("schema_version", 0) != Json(rooflab::schema_version)) return {};
  std::vector<std::string> unknown;
  walk(*json, "", "", unknown);
  return unknown;
}
