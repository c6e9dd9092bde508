#include "json_part.hpp"

#include <cmath>

namespace rooflab::study {
namespace {

const Json nothing;

const Json& value_at(const Json& json, std::string_view key) {
  if (!json.is_object()) return nothing;
  const auto found = json.find(key);
  return found == json.end() ? nothing : *found;
}

}  // namespace

const Json& part(const Json& json, FigureKey key) { return value_at(json, key.key()); }

const Json& first_of(const Json& json, FigureKey key) {
  const Json& list = list_of(json, key);
  return list.empty() ? nothing : list.front();
}

const Json& last_of(const Json& json, FigureKey key) {
  const Json& list = list_of(json, key);
  return list.empty() ? nothing : list.back();
}

const Json& list_of(const Json& json, FigureKey key) {
  static const Json empty = Json::array();
  const Json& list = part(json, key);
  return list.is_array() ? list : empty;
}

std::optional<double> number_of(const Json& json, FigureKey key) {
  return number_at(json, key.key());
}

std::optional<double> number_at(const Json& json, std::string_view key) {
  const Json& value = value_at(json, key);
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string string_of(const Json& json, FigureKey key) {
  const Json& value = part(json, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool flag_of(const Json& json, FigureKey key) {
  const Json& value = part(json, key);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace rooflab::study
