#pragma once

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "json_fields.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/described.hpp"
#include "rooflab/describe/figure.hpp"

/// Fields of a value type. One table defines its JSON (written and read), its rows in tables and
/// CSV, its quantities in studies and the tables of docs/formats.
///
///     // rank.hpp
///     struct Rank { int rank = 0; std::optional<double> step_s; double busy() const; };
///     [[nodiscard]] std::span<const Field> fields_of(For<Rank>);
///
///     // rank_fields.cpp, with field_table.hpp
///     std::span<const Field> fields_of(For<Rank>) {
///       static constexpr auto fields =
///           field_table(members<&Rank::rank, &Rank::step_s>, field<&Rank::busy>("busy_share"));
///       return fields;
///     }
///
///     const Json json = to_json(rank);
///     const Rank again = from_json<Rank>(json, "a.json");
namespace rooflab {

/// Bounds of a number; nullopt: none.
struct NumberRange {
  std::optional<double> least = {};
  std::optional<double> most = {};
};

/// A member of a value type: a word of the vocabulary with functions that write and read it.
class Field {
 public:
  using Get = Json (*)(const void* row);
  using Set = void (*)(void* row, const JsonValue& value);
  using Part = std::span<const Field> (*)();
  using PartOf = const void* (*)(const void* row);
  using ValueSchema = Json (*)();

  /// `set`: nullptr for a value that follows from other members. `required`: a file must have it.
  constexpr Field(const Figure& figure, Get get, Set set, bool required)
      : figure_(&figure), get_(get), set_(set), required_(required) {}
  constexpr Field(Part fields, PartOf value_of) : part_(fields), part_of_(value_of) {}

  /// Returns a field that JSON leaves out where it is null or an empty list, for rows of which a
  /// file has many.
  [[nodiscard]] constexpr Field sparse() const {
    Field changed = *this;
    changed.sparse_ = true;
    changed.required_ = false;
    return changed;
  }
  /// Returns a field that keeps its default value where the file does not have the key.
  [[nodiscard]] constexpr Field or_default() const {
    Field changed = *this;
    changed.required_ = false;
    return changed;
  }
  /// Returns a field without which a file is wrong, also where a function reads it.
  [[nodiscard]] constexpr Field required() const {
    Field changed = *this;
    changed.required_ = true;
    return changed;
  }
  /// Returns a field for which a smaller number in a file is an error.
  [[nodiscard]] constexpr Field at_least(double least) const {
    Field changed = *this;
    changed.least_ = least;
    return changed;
  }

  /// Returns a field whose documents add what its figure means here: `of the slowest rank`. It adds
  /// to the one meaning of the key, never another.
  [[nodiscard]] constexpr Field says(std::string_view words) const {
    Field changed = *this;
    changed.words_ = words;
    return changed;
  }

  /// Returns a field with the JSON Schema of its values.
  [[nodiscard]] constexpr Field typed(ValueSchema schema) const {
    Field changed = *this;
    changed.value_schema_ = schema;
    return changed;
  }

  /// The member is described itself: `fields` are those of its type, `value_of` finds it in a row,
  /// nullptr where a row has none.
  [[nodiscard]] constexpr Field holding(Part fields, PartOf value_of) const {
    Field changed = *this;
    changed.part_ = fields;
    changed.part_of_ = value_of;
    return changed;
  }

  /// Word of the vocabulary; nullptr for a part whose fields are placed among those of the whole.
  [[nodiscard]] constexpr const Figure* figure() const { return figure_; }
  /// Fields of a part, or of a member that is described itself; empty for others.
  [[nodiscard]] std::span<const Field> part() const {
    return part_ == nullptr ? std::span<const Field>() : part_();
  }
  /// What the field adds to the meaning of its figure; may be empty.
  [[nodiscard]] constexpr std::string_view words() const { return words_; }
  [[nodiscard]] constexpr bool is_read() const { return set_ != nullptr; }
  /// Whether a file must have the key.
  [[nodiscard]] constexpr bool is_required() const { return set_ != nullptr && required_; }
  /// JSON Schema of the values that are read, without their range; empty: any.
  [[nodiscard]] Json value_schema() const {
    return value_schema_ == nullptr ? Json::object() : value_schema_();
  }
  /// Values that its number, or each of its numbers, can have.
  [[nodiscard]] NumberRange range() const;

  /// The part, or the described member, of a row; nullptr where the row has none.
  [[nodiscard]] const void* part_of(const void* row) const { return part_of_(row); }
  /// JSON value of the field, which may be null.
  [[nodiscard]] Json value(const void* row) const;

  void write(const void* row, Json& into) const;
  void read(void* row, const JsonFields& from) const;

 private:
  const Figure* figure_ = nullptr;
  Get get_ = nullptr;
  Set set_ = nullptr;
  Part part_ = nullptr;
  PartOf part_of_ = nullptr;
  ValueSchema value_schema_ = nullptr;
  bool sparse_ = false;
  bool required_ = true;
  std::optional<double> least_;
  std::string_view words_;
};

/// A type that is written and read by its own functions encode_json() and decode_json().
template <class T>
concept SelfEncoded = requires(const T& value, T& into, const JsonValue& from) {
  { encode_json(value) } -> std::same_as<Json>;
  decode_json(into, from);
};

/// Path from a described value to a figure in it: a field of the value, a field of that member, ...
using FieldPath = std::vector<const Field*>;

/// The paths to a figure: `hidden_s`, or `ours.hidden_s` where several members have one. If the
/// value itself has it, the only path leads there.
[[nodiscard]] std::vector<FieldPath> paths_to(std::span<const Field> fields, std::string_view name);
/// Null where a member on the way is missing.
[[nodiscard]] Json value_at(const void* row, const FieldPath& path);

void read_fields(void* row, std::span<const Field> fields, const JsonFields& from);

/// JSON Schema (json-schema.org, draft 2020-12) of an object with these fields: keys, types, which
/// keys may be missing and which may be null. A reader ignores other keys.
[[nodiscard]] Json json_schema(std::span<const Field> fields);

/// Reads a row. Throws Error (input) that names the file and the key at fault.
template <Described T>
[[nodiscard]] T from_json(const JsonFields& from) {
  T row;
  read_fields(&row, fields_of(For<T>{}), from);
  return row;
}

namespace codec {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsCount : std::false_type {};
template <class U>
struct IsCount<Count<U>> : std::true_type {};
template <class T>
concept Map = requires {
  typename T::mapped_type;
};

template <class T>
Json encode(const T& value) {
  if constexpr (SelfEncoded<T>) {
    return encode_json(value);
  } else if constexpr (IsOptional<T>::value) {
    return value ? encode(*value) : Json();
  } else if constexpr (IsCount<T>::value) {
    return value.value();
  } else if constexpr (std::same_as<T, Seconds>) {
    return value.value;
  } else if constexpr (Named<T>) {
    return name_of(value);
  } else if constexpr (Described<T>) {
    return to_json(value);
  } else if constexpr (json_source::Text<T> || std::is_arithmetic_v<T> || std::same_as<T, Json>) {
    return Json(value);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (Map<T>) {
    Json json = Json::object();
    for (const auto& [key, each] : value) {
      if constexpr (Named<typename T::key_type>) {
        json[name_of(key)] = encode(each);
      } else {
        json[key] = encode(each);
      }
    }
    return json;
  } else {
    Json json = Json::array();
    for (const auto& each : value) json.push_back(encode(each));
    return json;
  }
}

/// The schema of a value that may also be null.
[[nodiscard]] Json or_null(Json schema);

/// A type with encode_json() that says what it writes; others may be anything.
template <class T>
concept SelfDescribed = requires {
  { schema_of_json(For<T>{}) } -> std::same_as<Json>;
};

/// JSON Schema of what decode() takes.
template <class T>
Json schema_of() {
  const auto of_type = [](std::string_view type) { return Json{{"type", type}}; };
  if constexpr (SelfDescribed<T>) {
    return schema_of_json(For<T>{});
  } else if constexpr (SelfEncoded<T> || std::same_as<T, Json>) {
    return Json::object();
  } else if constexpr (IsOptional<T>::value) {
    return or_null(schema_of<typename T::value_type>());
  } else if constexpr (IsCount<T>::value) {
    return of_type("integer");
  } else if constexpr (std::same_as<T, Seconds> || std::floating_point<T>) {
    return of_type("number");
  } else if constexpr (Named<T>) {
    return {{"enum", Json(names_of<T>())}};
  } else if constexpr (Described<T>) {
    return json_schema(fields_of(For<T>{}));
  } else if constexpr (json_source::Text<T> || std::same_as<T, std::filesystem::path>) {
    return of_type("string");
  } else if constexpr (std::same_as<T, bool>) {
    return of_type("boolean");
  } else if constexpr (std::unsigned_integral<T>) {
    return {{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (std::integral<T>) {
    return of_type("integer");
  } else if constexpr (Map<T>) {
    return {{"type", "object"},
            {"additionalProperties", or_null(schema_of<typename T::mapped_type>())}};
  } else {
    Json schema = {{"type", "array"}, {"items", schema_of<typename T::value_type>()}};
    if constexpr (requires { std::tuple_size<T>::value; }) {
      schema["minItems"] = schema["maxItems"] = std::tuple_size<T>::value;
    }
    return schema;
  }
}

template <class T>
void decode(T& into, const JsonValue& from) {
  if constexpr (SelfEncoded<T>) {
    decode_json(into, from);
  } else if constexpr (IsOptional<T>::value) {
    if (from.json().is_null()) {
      into.reset();
    } else {
      decode(into.emplace(), from);
    }
  } else if constexpr (IsCount<T>::value) {
    into = T(from.integer());
  } else if constexpr (std::same_as<T, Seconds>) {
    into.value = from.number();
  } else if constexpr (Named<T>) {
    const std::optional<T> named = from_name<T>(from.text());
    if (!named) from.fail_names(names_of<T>());
    into = *named;
  } else if constexpr (Described<T>) {
    read_fields(&into, fields_of(For<T>{}), from.object());
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>) {
    into = from.text();
  } else if constexpr (std::same_as<T, Json>) {
    into = from.json();
  } else if constexpr (std::same_as<T, bool>) {
    into = from.flag();
  } else if constexpr (std::floating_point<T>) {
    into = static_cast<T>(from.number());
  } else if constexpr (std::integral<T>) {
    from.read(into);
  } else if constexpr (Map<T>) {
    from.for_each_member([&](const std::string& key, const JsonValue& each) {
      if constexpr (Named<typename T::key_type>) {
        if (const auto named = from_name<typename T::key_type>(key)) decode(into[*named], each);
      } else {
        decode(into[key], each);
      }
    });
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    if (from.json().size() != into.size())
      from.fail("must have " + std::to_string(into.size()) + " entries");
    std::size_t place = 0;
    from.for_each_element([&](const JsonValue& each) { decode(into[place++], each); });
  } else {
    into.clear();
    from.for_each_element([&](const JsonValue& each) { decode(into.emplace_back(), each); });
  }
}

}  // namespace codec

}  // namespace rooflab
