#pragma once

#include <cstdint>
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

/// An object of one of our JSON files, read key by key. Every error is an Error (input) that names
/// the file and the path of the key: `a.json: 'timing.steps_s' must be a list of numbers`.
///
///     const JsonFields fields(json, "a.json");
///     const double time = fields.object("timing").number("setup_s");
class JsonFields {
 public:
  /// `json` must be an object and outlive this.
  JsonFields(const Json& json, std::string file, std::string path = {});

  [[nodiscard]] bool has(std::string_view key) const;  ///< whether the key exists and is not null

  /// Checks a whole file: throws unless its `kind` and `schema_version` are these. `what` is the
  /// kind in words, `training run`; `hint` says where such files come from.
  void require_kind(std::string_view kind, std::int64_t schema_version, std::string_view what,
                    const std::string& hint = {}) const;

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

  // Absent or null: nullopt.
  [[nodiscard]] std::optional<double> optional_number(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view key) const;
  [[nodiscard]] std::optional<bool> optional_flag(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> optional_text(std::string_view key) const;
  [[nodiscard]] std::optional<Bytes> optional_bytes(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<std::string>> optional_texts(std::string_view key) const;
  [[nodiscard]] std::optional<JsonFields> optional_object(std::string_view key) const;

  /// The raw value; throws when absent.
  [[nodiscard]] const Json& value(std::string_view key) const;

  /// Throws the Error for `key`: `a.json: 'timing.clock' TEXT`.
  [[noreturn]] void fail(std::string_view key, std::string_view text) const;

 private:
  [[nodiscard]] const Json* find(std::string_view key) const;

  const Json* json_;
  std::string file_;
  std::string path_;  ///< `timing.`; empty at the top
};

/// A count that is kept as a double: a whole number below 2^53 is written as one.
[[nodiscard]] Json count_json(double value);
/// null for nullopt.
[[nodiscard]] inline Json count_or_null(const std::optional<double>& value) {
  return value ? count_json(*value) : Json(nullptr);
}

/// null for nullopt.
template <class T>
[[nodiscard]] Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
[[nodiscard]] inline Json json_or_null(const std::optional<Bytes>& value) {
  return value ? Json(value->value()) : Json(nullptr);
}

}  // namespace rooflab
