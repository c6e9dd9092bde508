#include "fields.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

/// Counts of bytes and operations are whole, also where they are kept as a double.
bool is_counted(Unit unit) {
  return unit == Unit::none || unit == Unit::byte || unit == Unit::flop;
}

/// Times, sizes, work and what is derived from them cannot be below zero.
bool is_amount(Unit unit) {
  switch (unit) {
    case Unit::second:
    case Unit::byte:
    case Unit::flop:
    case Unit::byte_per_second:
    case Unit::flop_per_second:
    case Unit::flop_per_byte:
    case Unit::sample_per_second:
    case Unit::watt:
    case Unit::joule:
    case Unit::hertz:
      return true;
    case Unit::none:
    case Unit::nanosecond:
    case Unit::celsius:
    case Unit::share:
      return false;
  }
  return false;
}

NumberRange range_of(const Figure& figure) {
  NumberRange range;
  const bool has_least = figure.range == Range::fraction || figure.range == Range::amount ||
                         (figure.range == Range::of_unit && is_amount(figure.unit()));
  const bool has_most = figure.range == Range::fraction || figure.range == Range::at_most_one;
  if (has_least) range.least = 0.0;
  if (has_most) range.most = 1.0;
  return range;
}

void check_range(const NumberRange& range, const JsonValue& value) {
  constexpr double rounding = 1e-9;
  if (!range.least && !range.most) return;
  if (value.json().is_array()) {
    value.for_each_element([&](const JsonValue& element) { check_range(range, element); });
    return;
  }
  if (!value.json().is_number()) return;
  const double number = value.number();
  if (range.least && number < *range.least) {
    value.fail(format("must be {:g} or more", *range.least));
  }
  if (range.most && number > *range.most + rounding) {
    value.fail(format("must be {:g} or less", *range.most));
  }
}

/// `predicted_s` lies between `predicted_low_s` and `predicted_high_s`, and so do all that have
/// such neighbours.
void check_interval(const Figure& low, const JsonFields& from) {
  constexpr std::string_view word = "_low_";
  constexpr double rounding = 1e-9;
  const std::size_t at = low.key.find(word);
  if (at == std::string_view::npos || !from.at(low.key).json().is_number()) return;
  const std::string head(low.key.substr(0, at));
  const std::string tail(low.key.substr(at + word.size()));
  const std::string middle = format("{}_{}", head, tail);
  const std::string high = format("{}_high_{}", head, tail);
  double least = from.number(low.key);
  for (const std::string& key : {middle, high}) {
    if (!from.has(key) || !from.at(key).json().is_number()) continue;
    const double next = from.number(key);
    if (next < least * (1.0 - rounding)) {
      from.at(key).fail(format("must be {:g} or more, the lower end of its interval", least));
    }
    least = next;
  }
}

FieldPath longer(FieldPath path, const Field& last) {
  path.push_back(&last);
  return path;
}

/// Paths to a name among `fields`, which `before` leads to, and to one within their members.
void add_paths(std::span<const Field> fields, std::string_view name, const FieldPath& before,
               std::vector<FieldPath>& own, std::vector<FieldPath>& deeper) {
  const std::size_t dot = name.find('.');
  for (const Field& field : fields) {
    const FieldPath here = longer(before, field);
    if (field.figure() == nullptr) {  // its fields are as those of the value
      add_paths(field.part(), name, here, own, deeper);
    } else if (field.figure()->key != name.substr(0, dot)) {
      add_paths(field.part(), name, here, deeper, deeper);
    } else if (dot == std::string_view::npos) {
      own.push_back(here);
    } else {
      add_paths(field.part(), name.substr(dot + 1), here, own, deeper);
    }
  }
}

}  // namespace

void Field::write(const void* row, Json& into) const {
  if (figure_ == nullptr) {
    for (const Field& field : part_()) field.write(part_of_(row), into);
    return;
  }
  Json found = value(row);
  if (sparse_ && (found.is_null() || (found.is_array() && found.empty()))) return;
  into[figure_->key] = std::move(found);
}

Json Field::value(const void* row) const {
  Json found = get_(row);
  if (found.is_number_float() && is_counted(figure_->unit())) {
    return count_json(found.get<double>());
  }
  return found;
}

NumberRange Field::range() const {
  NumberRange range = range_of(*figure_);
  if (least_) range.least = least_;
  return range;
}

void Field::read(void* row, const JsonFields& from) const {
  if (figure_ == nullptr) {
    // The whole is not constant, so its part is not.
    read_fields(const_cast<void*>(part_of_(row)), part_(), from);
    return;
  }
  if (set_ == nullptr) {  // it follows from others
    if (from.has(figure_->key)) check_range(range(), from.at(figure_->key));
    return;
  }
  if (!required_ && !from.has(figure_->key)) return;
  if (!from.has(figure_->key) &&
      std::ranges::find(from.keys(), figure_->key) != from.keys().end()) {
    static const Json null;  // which some types take for what is not known
    try {
      set_(row, JsonValue(null, from, figure_->key));
      return;
    } catch (const Error&) {  // for others it is as if the key was missing
    }
  }
  const JsonValue value = from.at(figure_->key);
  set_(row, value);
  check_range(range(), value);
  if (from.has(figure_->key)) check_interval(*figure_, from);
}

std::vector<FieldPath> paths_to(std::span<const Field> fields, std::string_view name) {
  std::vector<FieldPath> own;
  std::vector<FieldPath> deeper;
  add_paths(fields, name, {}, own, deeper);
  return own.empty() ? deeper : own;
}

Json value_at(const void* row, const FieldPath& path) {
  for (const Field* const field : std::span(path).first(path.size() - 1)) {
    row = field->part_of(row);
    if (row == nullptr) return {};
  }
  return path.back()->value(row);
}

Json fields_json(const void* row, std::span<const Field> fields) {
  Json json = Json::object();
  for (const Field& field : fields) field.write(row, json);
  return json;
}

void read_fields(void* row, std::span<const Field> fields, const JsonFields& from) {
  for (const Field& field : fields) field.read(row, from);
}

void read_fields(void* row, std::span<const Field> fields, const Json& from,
                 const std::string& file) {
  read_fields(row, fields, JsonFields(from, file));
}

}  // namespace rooflab
