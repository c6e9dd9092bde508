#include "json_part.hpp"

#include <cmath>

namespace rooflab::study {
namespace {

const Json& nothing() {
  static const Json null;
  return null;
}

}  // namespace

const Json& part(const Json& json, FigureKey key) {
  if (!json.is_object()) return nothing();
  const auto found = json.find(key.key());
  return found == json.end() ? nothing() : *found;
}

const Json& first_of(const Json& json, FigureKey key) {
  const Json& list = list_of(json, key);
  return list.empty() ? nothing() : list.front();
}

const Json& last_of(const Json& json, FigureKey key) {
  const Json& list = list_of(json, key);
  return list.empty() ? nothing() : list.back();
}

const Json& list_of(const Json& json, FigureKey key) {
  static const Json empty = Json::array();
  const Json& list = part(json, key);
  return list.is_array() ? list : empty;
}

std::optional<double> number_of(const Json& json, FigureKey key) {
  const Json& value = part(json, key);
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
