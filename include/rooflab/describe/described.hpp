#pragma once

#include <concepts>
#include <span>
#include <string>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"

/// Results and records as JSON, with the keys of docs/formats.
///
///     const Json json = to_json(predictor.predict(network, "h200"));  // analyze::CaseResult
///     const auto record = from_json<record::Record>(Json::parse(text), "a.json");
namespace rooflab {

class Field;

/// A type with a table of fields, found by argument-dependent lookup.
template <class T>
concept Described = requires {
  { fields_of(For<T>{}) } -> std::convertible_to<std::span<const Field>>;
};

/// An object with the fields of a value, in their order; `row` points to the value.
[[nodiscard]] Json fields_json(const void* row, std::span<const Field> fields);
/// Reads the fields of a value from an object, which is (a part of) the JSON file `file`.
void read_fields(void* row, std::span<const Field> fields, const Json& from,
                 const std::string& file);

/// Writes an object with the row's fields in their order.
template <Described T>
[[nodiscard]] Json to_json(const T& row) {
  return fields_json(&row, fields_of(For<T>{}));
}

/// Reads a row. Throws Error (input) that names `file` and the key at fault.
template <Described T>
[[nodiscard]] T from_json(const Json& json, const std::string& file) {
  T row;
  read_fields(&row, fields_of(For<T>{}), json, file);
  return row;
}

}  // namespace rooflab
