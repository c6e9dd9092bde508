#include "json_schema.hpp"

#include "base/format.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab {
namespace {

constexpr std::string_view type_key = "type";
constexpr std::string_view enum_key = "enum";

/// Numbers of a figure lie within its range, also those of a list of them.
void add_range(Json& schema, const NumberRange& range) {
  if (schema.contains("items")) return add_range(schema["items"], range);
  if (schema.contains("additionalProperties")) return;  // of numbers by name, which no reader holds
  if (range.least) schema["minimum"] = count_json(*range.least);
  if (range.most) schema["maximum"] = count_json(*range.most);
}

void add_fields(std::span<const Field> fields, Json& properties, Json& required) {
  for (const Field& field : fields) {
    if (field.figure() == nullptr) {
      add_fields(field.part(), properties, required);
      continue;
    }
    const Figure& figure = *field.figure();
    Json schema = field.value_schema();
    add_range(schema, field.range());
    if (!field.is_required()) schema = codec::or_null(std::move(schema));
    const std::string_view symbol = symbol_of(figure.unit());
    Json described = Json::object();
    described["description"] =
        format("{}{}{}{}", figure.meaning, field.words().empty() ? "" : " ", field.words(),
               symbol.empty() ? "" : format(" Unit: {}.", symbol));
    described.update(schema);
    if (!field.is_read()) described["readOnly"] = true;
    properties[figure.key] = std::move(described);
    if (field.is_required()) required.push_back(figure.key);
  }
}

/// An object with these fields behind those that are there already.
Json object_schema(std::span<const Field> fields, Json properties, Json required) {
  add_fields(fields, properties, required);
  Json schema = {{type_key, "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

}  // namespace

namespace codec {

Json or_null(Json schema) {
  if (schema.contains(enum_key)) {
    Json& names = schema[enum_key];
    if (names.empty() || !names.back().is_null()) names.push_back(Json());
  } else if (schema.contains(type_key) && !schema[type_key].is_array()) {
    schema[type_key] = Json::array({schema[type_key], "null"});
  }
  return schema;
}

}  // namespace codec

Json json_schema(std::span<const Field> fields) {
  return object_schema(fields, Json::object(), Json::array());
}

Json json_schema(const FileKind& kind, std::span<const Field> fields) {
  return object_schema(
      fields, {{"schema_version", {{"const", schema_version}}}, {kind.key, {{"const", kind.name}}}},
      Json::array({"schema_version", kind.key}));
}

}  // namespace rooflab
