#include "json_keys.hpp"

#include <optional>

#include "describe/schema.hpp"
#include "rooflab/base/json.hpp"

std::vector<std::string> unknown_keys(std::string_view text) {
  if (!text.starts_with('{')) return {};
  const std::optional<rooflab::Json> json = rooflab::Json::parse_if_valid(text);
  if (!json || json->value("schema_version", 0) != rooflab::Json(rooflab::schema_version))
    return {};
  return rooflab::unknown_keys(*json);
}
