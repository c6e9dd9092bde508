#include "toml.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.hpp"

namespace rooflab {

Location TomlPlace::location() const {
  return Location{.file = file ? *file : std::string(),
                  .line = line > 0 ? std::optional<int>(line) : std::nullopt,
                  .column = column > 0 ? std::optional<int>(column) : std::nullopt,
                  .byte_offset = std::nullopt};
}

namespace {

std::string text_of(const TomlPath& path) {
  if (!path) return {};
  std::string text = text_of(path->before);
  if (const auto* index = std::get_if<std::size_t>(&path->name)) {
    return text + format("[{}]", *index);
  }
  if (!text.empty()) text += '.';
  return text + std::get<std::string>(path->name);
}

}  // namespace

TomlTable::TomlTable(TomlPath path, TomlPlace place)
    : path_(std::move(path)), place_(std::move(place)) {}

const TomlValue* TomlTable::find(std::string_view key) const {
  for (const TomlEntry& entry : entries_) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

const TomlValue& TomlTable::at(std::string_view key) const {
  if (const TomlValue* value = find(key)) return *value;
  throw error(format("{} lacks the key '{}'", description(), key));
}

const std::string& TomlTable::string(std::string_view key) const { return at(key).as_string(); }

const std::string& TomlTable::filled_string(std::string_view key) const {
  const TomlValue& value = at(key);
  if (trim(value.as_string()).empty()) throw value.error(format("'{}' is empty", value.path()));
  return value.as_string();
}

std::int64_t TomlTable::integer(std::string_view key) const { return at(key).as_integer(); }
double TomlTable::number(std::string_view key) const { return at(key).as_number(); }
bool TomlTable::boolean(std::string_view key) const { return at(key).as_boolean(); }
const TomlTable& TomlTable::table(std::string_view key) const { return at(key).as_table(); }

std::optional<std::string> TomlTable::optional_string(std::string_view key) const {
  const TomlValue* value = find(key);
  return value ? std::optional(value->as_string()) : std::nullopt;
}

std::optional<std::int64_t> TomlTable::optional_integer(std::string_view key) const {
  const TomlValue* value = find(key);
  return value ? std::optional(value->as_integer()) : std::nullopt;
}

std::optional<double> TomlTable::optional_number(std::string_view key) const {
  const TomlValue* value = find(key);
  return value ? std::optional(value->as_number()) : std::nullopt;
}

std::optional<bool> TomlTable::optional_boolean(std::string_view key) const {
  const TomlValue* value = find(key);
  return value ? std::optional(value->as_boolean()) : std::nullopt;
}

const TomlTable* TomlTable::optional_table(std::string_view key) const {
  const TomlValue* value = find(key);
  return value ? &value->as_table() : nullptr;
}

std::vector<std::string> TomlTable::strings(std::string_view key) const {
  std::vector<std::string> texts;
  if (const TomlValue* value = find(key)) {
    for (const TomlValue& element : value->as_array()) texts.push_back(element.as_string());
  }
  return texts;
}

void TomlTable::allow_only(std::span<const std::string_view> keys) const {
  const std::vector<std::string> allowed(keys.begin(), keys.end());
  for (const TomlEntry& entry : entries_) {
    if (std::find(allowed.begin(), allowed.end(), entry.key) != allowed.end()) continue;
    throw Error(ErrorKind::input, format("unknown key '{}' in {}", entry.key, description()),
                near_hint(entry.key, allowed, format("keys allowed here: {}", join(allowed, ", "))),
                entry.place.location());
  }
}

void TomlTable::allow_only(std::initializer_list<std::string_view> keys) const {
  allow_only(std::span(keys.begin(), keys.size()));
}

std::string TomlTable::description() const {
  return path_ ? format("'{}'", path()) : std::string("the file");
}

std::string TomlTable::path() const { return text_of(path_); }
std::string TomlValue::path() const { return text_of(path_); }

Error TomlTable::error(std::string message, std::string hint) const {
  return Error(ErrorKind::input, std::move(message), std::move(hint), location());
}

void TomlTable::append(TomlEntry entry) { entries_.push_back(std::move(entry)); }

TomlValue::TomlValue(Content content, TomlPath path, TomlPlace place)
    : content_(std::move(content)), path_(std::move(path)), place_(std::move(place)) {}

template <class Type>
const Type& TomlValue::as(std::string_view wanted) const {
  if (const Type* value = std::get_if<Type>(&content_)) return *value;
  throw error(format("'{}' must be {} and is {}", path(), wanted, type_name()));
}

const std::string& TomlValue::as_string() const { return as<std::string>("a string"); }
std::int64_t TomlValue::as_integer() const { return as<std::int64_t>("an integer"); }
bool TomlValue::as_boolean() const { return as<bool>("a boolean"); }
const TomlArray& TomlValue::as_array() const { return as<TomlArray>("an array"); }
const TomlTable& TomlValue::as_table() const { return as<TomlTable>("a table"); }

double TomlValue::as_number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&content_)) {
    return static_cast<double>(*integer);
  }
  const double number = as<double>("a number");
  if (!std::isfinite(number)) throw error(format("'{}' must be a finite number", path()));
  return number;
}

std::string_view TomlValue::type_name() const {
  constexpr std::string_view names[] = {"a string",  "an integer", "a float",
                                        "a boolean", "an array",   "a table"};
  return names[content_.index()];
}

Error TomlValue::error(std::string message, std::string hint) const {
  return Error(ErrorKind::input, std::move(message), std::move(hint), location());
}

}  // namespace rooflab
