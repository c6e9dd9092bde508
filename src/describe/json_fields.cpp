#include "json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {

Json parse_json(std::string_view text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::Fault& error) {
    if (error.problem == Json::Fault::Problem::number_out_of_range) {
      throw Error(ErrorKind::input, "this is not valid JSON: a number is out of range",
                  "the file may be damaged", {file, {}, {}, {}});
    }
    // `byte` counts from 1, and so do columns; at the end of the text it is one beyond.
    const std::size_t fault = std::min(std::max<std::size_t>(error.byte, 1) - 1, text.size());
    const std::string_view before = text.substr(0, fault);
    const auto line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 without a line feed
    const Location place{file, line, static_cast<int>(fault - line_start) + 1, {}};
    if (error.problem == Json::Fault::Problem::key_twice) {
      throw Error(ErrorKind::input, format("the key '{}' is there twice", error.what()),
                  "one of the two is wrong", place);
    }
    const bool too_deep = error.problem == Json::Fault::Problem::too_deep;
    throw Error(
        ErrorKind::input,
        too_deep ? format("lists and objects are nested more than {} levels deep", Json::deepest)
                 : "this is not valid JSON",
        too_deep ? "Rooflab writes no such file" : "the file may be damaged or cut short", place);
  }
}

JsonFields::JsonFields(const Json& json, std::string file, std::string path)
    : json_(&json), file_(std::move(file)), path_(std::move(path)) {
  if (!json.is_object()) {
    const std::string_view what = path_;
    throw Error(ErrorKind::input,
                what.empty() ? "the file must hold a JSON object"
                             : format("'{}' must be an object", what.substr(0, what.size() - 1)),
                {}, {file_, {}, {}, {}});
  }
}

const Json* JsonFields::find(std::string_view key) const {
  const auto found = json_->find(key);
  return found == json_->end() || found->is_null() ? nullptr : found;
}

bool JsonFields::has(std::string_view key) const { return find(key) != nullptr; }

void JsonFields::fail(std::string_view key, std::string_view text) const {
  throw Error(ErrorKind::input, format("'{}{}' {}", path_, key, text), {}, {file_, {}, {}, {}});
}

const Json& JsonFields::value(std::string_view key) const {
  const Json* const found = find(key);
  if (found == nullptr) fail(key, "is missing");
  return *found;
}

void JsonFields::require_version(std::int64_t version, std::string_view what,
                                 std::string hint) const {
  const std::int64_t found = integer("schema_version");
  if (found == version) return;
  if (hint.empty()) {
    hint = format("use the Rooflab that wrote it{}", found > version ? ", or a newer one" : "");
  }
  throw Error(ErrorKind::input,
              format("this {} has schema version {}, this Rooflab reads {}", what, found, version),
              std::move(hint), {file_, {}, {}, {}});
}

double JsonFields::number(std::string_view key) const { return at(key).number(); }
std::int64_t JsonFields::integer(std::string_view key) const { return at(key).integer(); }
std::uint64_t JsonFields::natural(std::string_view key) const { return at(key).natural(); }
bool JsonFields::flag(std::string_view key) const { return at(key).flag(); }
std::string JsonFields::text(std::string_view key) const { return at(key).text(); }

int JsonFields::small_integer(std::string_view key) const {
  int number = 0;
  at(key).read(number);
  return number;
}

std::vector<std::int64_t> JsonFields::integers(std::string_view key) const {
  constexpr std::string_view wanted = "must be a list of whole numbers";
  const Json& found = value(key);
  if (!found.is_array()) fail(key, wanted);
  std::vector<std::int64_t> result;
  for (const Json& entry : found) {
    if (!entry.is_number_integer()) fail(key, wanted);
    result.push_back(entry.get<std::int64_t>());
  }
  return result;
}

std::vector<double> JsonFields::numbers(std::string_view key) const {
  const Json& found = value(key);
  if (!found.is_array() || !std::ranges::all_of(found, [](const Json& e) { return e.is_number(); }))
    fail(key, "must be a list of numbers");
  return found.get<std::vector<double>>();
}

std::vector<std::string> JsonFields::texts(std::string_view key) const {
  const Json& found = value(key);
  if (!found.is_array() || !std::ranges::all_of(found, [](const Json& e) { return e.is_string(); }))
    fail(key, "must be a list of texts");
  return found.get<std::vector<std::string>>();
}

std::map<std::string, std::string> JsonFields::text_map(std::string_view key) const {
  const JsonFields entries = object(key);
  std::map<std::string, std::string> result;
  for (const auto& [name, entry] : entries.json_->items()) result[name] = entries.text(name);
  return result;
}

JsonFields JsonFields::object(std::string_view key) const { return at(key).object(); }

JsonFields JsonFields::object_of(const Json& json, std::string_view path) const {
  return {json, file_, format("{}{}.", path_, path)};
}

std::vector<JsonFields> JsonFields::objects(std::string_view key) const {
  const Json& found = value(key);
  if (!found.is_array()) fail(key, "must be a list of objects");
  std::vector<JsonFields> result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    result.emplace_back(found[i], file_, format("{}{}[{}].", path_, key, i));
  }
  return result;
}

std::string JsonValue::path() const {
  return list_ == nullptr ? std::string(key_) : format("{}[{}]", list_->path(), index_);
}

void JsonValue::fail(std::string_view text) const { parent_->fail(path(), text); }

void JsonValue::fail_names(const std::vector<std::string>& names) const {
  fail(format("must be one of {}", join(names, ", ")));
}

double JsonValue::number() const {
  if (!json_->is_number()) fail("must be a number");
  return json_->get<double>();
}

std::int64_t JsonValue::integer() const {
  if (!json_->is_number_integer()) fail("must be a whole number");
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  if (json_->is_number_unsigned()) (void)in_range(json_->get<std::uint64_t>(), largest);
  return json_->get<std::int64_t>();
}

std::uint64_t JsonValue::natural() const {
  const bool whole = json_->is_number_integer();  // of either sign
  if (!json_->is_number_unsigned() && !(whole && json_->get<std::int64_t>() >= 0)) {
    fail("must be a whole number of 0 or more");
  }
  return json_->get<std::uint64_t>();
}

bool JsonValue::flag() const {
  if (!json_->is_boolean()) fail("must be true or false");
  return json_->get<bool>();
}

std::string JsonValue::text() const {
  if (!json_->is_string()) fail("must be a text");
  return json_->text();
}

JsonFields JsonValue::object() const { return parent_->object_of(*json_, path()); }

std::uint64_t JsonValue::in_range(std::uint64_t value, std::uint64_t most) const {
  if (value > most) fail("is out of range");
  return value;
}

std::int64_t JsonValue::in_range(std::int64_t value, std::int64_t least, std::int64_t most) const {
  if (value < least || value > most) fail("is out of range");
  return value;
}

std::optional<double> JsonFields::optional_number(std::string_view key) const {
  return has(key) ? std::optional(number(key)) : std::nullopt;
}
std::optional<std::int64_t> JsonFields::optional_integer(std::string_view key) const {
  return has(key) ? std::optional(integer(key)) : std::nullopt;
}
std::optional<bool> JsonFields::optional_flag(std::string_view key) const {
  return has(key) ? std::optional(flag(key)) : std::nullopt;
}
std::optional<std::string> JsonFields::optional_text(std::string_view key) const {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}
std::optional<Bytes> JsonFields::optional_bytes(std::string_view key) const {
  return has(key) ? std::optional(Bytes(integer(key))) : std::nullopt;
}
std::optional<std::vector<std::string>> JsonFields::optional_texts(std::string_view key) const {
  return has(key) ? std::optional(texts(key)) : std::nullopt;
}
std::optional<JsonFields> JsonFields::optional_object(std::string_view key) const {
  return has(key) ? std::optional(object(key)) : std::nullopt;
}

Json count_json(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::abs(value) < exact && std::trunc(value) == value) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace rooflab
