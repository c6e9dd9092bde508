#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflab/base/error.hpp"

namespace rooflab {

class TomlValue;
struct TomlEntry;

/// Place of a key or value in its file, cheap to copy; `location()` is the form for errors.
struct TomlPlace {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;

  [[nodiscard]] Location location() const;
};

/// The last key or index on the path from the root to a value. All values below a step share it, so
/// that long keys are stored only once.
struct TomlStep {
  std::shared_ptr<const TomlStep> before;  ///< nullptr: the root
  std::variant<std::string, std::size_t> name;
};
using TomlPath = std::shared_ptr<const TomlStep>;  ///< nullptr: the root

/// A table that knows its place in the user's file.
///
/// Lookups are typed: a missing key or a value of another type throws Error (input) with
/// file:line:column. Keys keep the order of the file.
///
///     const TomlTable study = parse_toml(read_file(path), path.string());
///     study.allow_only({"name", "cases"});
///     const std::string name = study.string("name");
class TomlTable {
 public:
  TomlTable(TomlPath path, TomlPlace place);

  /// Finds the value of a key; nullptr when it is absent. Valid as long as the table.
  [[nodiscard]] const TomlValue* find(std::string_view key) const;
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// The value of a key; throws Error (input) at the table when it is absent.
  [[nodiscard]] const TomlValue& at(std::string_view key) const;

  [[nodiscard]] const std::string& string(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  /// A string; also throws if it is empty or blank.
  [[nodiscard]] const std::string& filled_string(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] bool boolean(std::string_view key) const;
  [[nodiscard]] const TomlTable& table(std::string_view key) const;

  /// The string of an optional key; nullopt when it is absent. Throws for a value of another type.
  [[nodiscard]] std::optional<std::string> optional_string(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view key) const;
  [[nodiscard]] std::optional<double> optional_number(std::string_view key) const;
  [[nodiscard]] std::optional<bool> optional_boolean(std::string_view key) const;
  [[nodiscard]] const TomlTable* optional_table(std::string_view key) const;
  /// An array of strings; empty when the key is absent.
  [[nodiscard]] std::vector<std::string> strings(std::string_view key) const;

  /// Throws Error (input) at the first key, in file order, that is not among `keys`; the hint names
  /// the nearest allowed key, or all of them when none is near.
  void allow_only(std::span<const std::string_view> keys) const;
  void allow_only(std::initializer_list<std::string_view> keys) const;

  [[nodiscard]] const std::vector<TomlEntry>& entries() const { return entries_; }
  /// The dotted path from the root (`peaks.fp32_vector`), empty for the root.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] Location location() const { return place_.location(); }
  /// The table's name for a message: `'peaks.fp32_vector'`, or `the file`.
  [[nodiscard]] std::string description() const;
  /// An Error (input) at this table, to be thrown by the caller.
  [[nodiscard]] Error error(std::string message, std::string hint = {}) const;

  void append(TomlEntry entry);

 private:
  TomlPath path_;
  TomlPlace place_;
  std::vector<TomlEntry> entries_;
};

using TomlArray = std::vector<TomlValue>;

/// One value with its place: string, integer, float, boolean, array or table.
class TomlValue {
 public:
  using Content = std::variant<std::string, std::int64_t, double, bool, TomlArray, TomlTable>;

  TomlValue(Content content, TomlPath path, TomlPlace place);

  /// The value as a string; this and the other as_...() throw Error (input) at the value if it has
  /// another type.
  [[nodiscard]] const std::string& as_string() const;
  [[nodiscard]] std::int64_t as_integer() const;
  /// An integer or a float; infinities and NaN, which TOML can write, are refused.
  [[nodiscard]] double as_number() const;
  [[nodiscard]] bool as_boolean() const;
  [[nodiscard]] const TomlArray& as_array() const;
  [[nodiscard]] const TomlTable& as_table() const;

  [[nodiscard]] const Content& content() const { return content_; }
  /// Name of the type for messages: `a string`, `an integer`, ...
  [[nodiscard]] std::string_view type_name() const;
  /// The dotted path from the root, `cases[2].device`, which names the value in messages.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] Location location() const { return place_.location(); }
  /// An Error (input) at this value, to be thrown by the caller.
  [[nodiscard]] Error error(std::string message, std::string hint = {}) const;

 private:
  template <class Type>
  [[nodiscard]] const Type& as(std::string_view wanted) const;

  Content content_;
  TomlPath path_;
  TomlPlace place_;
};

/// A key with its own place, for reports about unknown keys.
struct TomlEntry {
  std::string key;
  TomlPlace place;
  TomlValue value;
};

/// Reads TOML 1.0. `file` is only used in locations. Throws Error (input) with line and column on
/// wrong syntax, on a key given twice, on more than 100 nested tables and arrays, and on dates and
/// times, which our files do not use.
[[nodiscard]] TomlTable parse_toml(std::string_view text, std::string file);

}  // namespace rooflab
