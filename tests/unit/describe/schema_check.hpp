#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/json.hpp"

namespace rooflab {

/// Whether a value is as a JSON Schema says, by the words that ours use.
inline bool satisfies(const Json& value, const Json& schema) {
  const auto is_type = [&value](const Json& type) {
    const std::string& name = type.text();
    if (name == "null") return value.is_null();
    if (name == "boolean") return value.is_boolean();
    if (name == "integer") {
      return value.is_number() &&
             value.get<double>() == static_cast<double>(value.get<long long>());
    }
    if (name == "number") return value.is_number();
    if (name == "string") return value.is_string();
    if (name == "array") return value.is_array();
    return value.is_object();
  };
  if (schema.contains("const") && value != schema["const"]) return false;
  if (schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end()) {
    return false;
  }
  if (schema.contains("type")) {
    const Json& type = schema["type"];
    const bool fits = type.is_array() ? std::ranges::any_of(type, is_type) : is_type(type);
    if (!fits) return false;
  }
  if (value.is_number()) {
    const double number = value.get<double>();
    if (schema.contains("minimum") && number < schema["minimum"].get<double>()) return false;
    if (schema.contains("maximum") && number > schema["maximum"].get<double>()) return false;
  }
  if (value.is_array()) {
    if (schema.contains("minItems") && value.size() < schema["minItems"].get<std::size_t>()) {
      return false;
    }
    if (schema.contains("maxItems") && value.size() > schema["maxItems"].get<std::size_t>()) {
      return false;
    }
    return !schema.contains("items") || std::ranges::all_of(value, [&](const Json& each) {
      return satisfies(each, schema["items"]);
    });
  }
  if (!value.is_object()) return true;
  if (schema.contains("required")) {
    for (const Json& key : schema["required"]) {
      if (!value.contains(key.text())) return false;
    }
  }
  for (const auto& [key, member] : value.items()) {
    const Json* known = nullptr;
    if (schema.contains("properties") && schema["properties"].contains(key)) {
      known = &schema["properties"][key];
    } else if (schema.contains("additionalProperties")) {
      known = &schema["additionalProperties"];
    }
    if (known != nullptr && !satisfies(member, *known)) return false;
  }
  return true;
}

/// A JSON text with one change, and what it is.
struct ChangedJson {
  std::string what;
  Json json;
};

/// The value once for each of its members: without it, with null and with a list and a negative
/// number in its place.
inline std::vector<ChangedJson> changed_members(const Json& whole) {
  std::vector<ChangedJson> all;
  using Change = std::function<void(Json&)>;
  const auto visit = [&](const auto& self, const Json& part, const std::string& path,
                         const std::function<Json(const Change&)>& with) -> void {
    if (part.is_array() && !part.empty()) {
      const auto with_first = [&with](const Change& change) {
        return with([&change](Json& list) { change(*list.begin()); });
      };
      return self(self, part.front(), path + "[0]", with_first);
    }
    if (!part.is_object()) return;
    for (const std::string& key : part.keys()) {
      const std::string place = path.empty() ? key : path + "." + key;
      all.push_back({place + " is missing", with([&key](Json& object) { object.erase(key); })});
      for (const Json& other : {Json(), Json::array(), Json(-1)}) {
        all.push_back(
            {place + " is " + other.dump(), with([&](Json& object) { object[key] = other; })});
      }
      const auto with_member = [&with, &key](const Change& change) {
        return with([&](Json& object) { change(object[key]); });
      };
      self(self, part[key], place, with_member);
    }
  };
  visit(visit, whole, "", [&whole](const Change& change) {
    Json copy = whole;
    change(copy);
    return copy;
  });
  return all;
}

}  // namespace rooflab
