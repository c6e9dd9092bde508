#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab {

/// Parses a JSON text; throws Error (input) with the file, line and column of the first error.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& file);

class JsonFields;

/// A value of one of our JSON files, with its place for errors: a member of an object, or an
/// element of a list that is such a member. It refers to the object, which must outlive it.
class JsonValue {
 public:
  JsonValue(const Json& json, const JsonFields& parent, std::string_view key)
      : json_(&json), parent_(&parent), key_(key) {}

  [[nodiscard]] const Json& json() const { return *json_; }
  [[nodiscard]] const std::string& file() const;  ///< the file that holds it
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::uint64_t natural() const;  ///< 0 to 2^64 - 1
  [[nodiscard]] bool flag() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] JsonFields object() const;

  /// Reads a whole number that `into` can hold.
  template <std::integral T>
  void read(T& into) const {
    if constexpr (std::unsigned_integral<T>) {
      into = static_cast<T>(in_range(natural(), std::numeric_limits<T>::max()));
    } else {
      into = static_cast<T>(
          in_range(integer(), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    }
  }

  /// Calls `visit(JsonValue)` for every element; throws unless this is a list.
  template <class Visit>
  void for_each_element(Visit visit) const {
    if (!json_->is_array()) fail("must be a list");
    JsonValue element = *this;
    element.list_ = this;
    for (element.index_ = 0; element.index_ < json_->size(); ++element.index_) {
      element.json_ = json_->begin() + element.index_;
      visit(static_cast<const JsonValue&>(element));
    }
  }
  /// Calls `visit(key, JsonValue)` for every member; throws unless this is an object.
  template <class Visit>
  void for_each_member(Visit visit) const;

  /// Throws the Error for this value: `a.json: 'timing.clock' TEXT`.
  [[noreturn]] void fail(std::string_view text) const;
  /// Throws the Error for a text that is not one of `names`.
  [[noreturn]] void fail_names(const std::vector<std::string>& names) const;

 private:
  [[nodiscard]] std::uint64_t in_range(std::uint64_t value, std::uint64_t most) const;
  [[nodiscard]] std::int64_t in_range(std::int64_t value, std::int64_t least,
                                      std::int64_t most) const;
  [[nodiscard]] std::string path() const;  ///< relative to the parent: `steps_s[3]`

  const Json* json_;
  const JsonFields* parent_;
  std::string_view key_;
  const JsonValue* list_ = nullptr;  ///< the list that holds it
  std::size_t index_ = 0;
};

/// An object of one of our JSON files, read key by key. Every error is an Error (input) that names
/// the file and the path of the key: `a.json: 'timing.steps_s' must be a list of numbers`.
///
///     const JsonFields fields(json, "a.json");
///     const double time = fields.object("timing").number("setup_s");
class JsonFields {
 public:
  /// Takes `json`, which must be an object and outlive this.
  JsonFields(const Json& json, std::string file, std::string path = {});

  [[nodiscard]] bool has(std::string_view key) const;  ///< whether the key exists and is not null

  /// Throws unless the `schema_version` of a whole file is this one. `what`: kind of the file for
  /// people, `training run`; `hint`: empty for the usual one.
  void require_version(std::int64_t version, std::string_view what, std::string hint = {}) const;

  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  [[nodiscard]] int small_integer(std::string_view key) const;      ///< a value that fits 32 bits
  [[nodiscard]] std::uint64_t natural(std::string_view key) const;  ///< a value of 0 to 2^64 - 1
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] std::map<std::string, std::string> text_map(std::string_view key) const;
  [[nodiscard]] JsonFields object(std::string_view key) const;
  [[nodiscard]] std::vector<JsonFields> objects(std::string_view key) const;

  // nullopt: absent or null.
  [[nodiscard]] std::optional<double> optional_number(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view key) const;
  [[nodiscard]] std::optional<bool> optional_flag(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> optional_text(std::string_view key) const;
  [[nodiscard]] std::optional<Bytes> optional_bytes(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<std::string>> optional_texts(std::string_view key) const;
  [[nodiscard]] std::optional<JsonFields> optional_object(std::string_view key) const;

  /// The raw value of a key; throws when absent.
  [[nodiscard]] const Json& value(std::string_view key) const;
  /// The value of a key with its place; throws when absent.
  [[nodiscard]] JsonValue at(std::string_view key) const { return {value(key), *this, key}; }
  /// All keys of the object, also of nulls.
  [[nodiscard]] const std::vector<std::string>& keys() const { return json_->keys(); }

  /// Throws the Error for `key`: `a.json: 'timing.clock' TEXT`.
  [[noreturn]] void fail(std::string_view key, std::string_view text) const;

 private:
  friend class JsonValue;
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// A value within this object as an object; `path` is its place relative to this one.
  [[nodiscard]] JsonFields object_of(const Json& json, std::string_view path) const;

  const Json* json_;
  std::string file_;
  std::string path_;  ///< `timing.`; empty at the top
};

inline const std::string& JsonValue::file() const { return parent_->file_; }

template <class Visit>
void JsonValue::for_each_member(Visit visit) const {
  const JsonFields members = object();
  for (const std::string& key : members.keys()) {
    if (members.has(key)) visit(key, members.at(key));
  }
}

/// JSON of a count stored as a double: a whole number below 2^53 is written as an integer.
[[nodiscard]] Json count_json(double value);
/// JSON of an optional value; null for nullopt.
template <class T>
[[nodiscard]] Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
[[nodiscard]] inline Json json_or_null(const std::optional<Bytes>& value) {
  return value ? Json(value->value()) : Json(nullptr);
}

}  // namespace rooflab
