#include "fields.hpp"

#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

/// Counts of bytes and operations are whole, also where they are kept as a double.
bool is_counted(Unit unit) {
  return unit == Unit::none || unit == Unit::byte || unit == Unit::flop;
}

}  // namespace

void Field::write(const void* row, Json& into) const {
  if (figure_ == nullptr) {
    for (const Field& field : part_()) field.write(part_of_(row), into);
    return;
  }
  Json value = get_(row);
  if (sparse_ && (value.is_null() || (value.is_array() && value.empty()))) return;
  if (value.is_number_float() && is_counted(figure_->unit())) {
    value = count_json(value.get<double>());
  }
  into[figure_->key] = std::move(value);
}

void Field::read(void* row, const JsonFields& from) const {
  if (figure_ == nullptr) {
    // The whole is not constant, so its part is not.
    read_fields(const_cast<void*>(part_of_(row)), part_(), from);
    return;
  }
  if (set_ == nullptr) return;
  if (!required_ && !from.has(figure_->key)) return;
  const JsonValue value = from.at(figure_->key);
  set_(row, value);
  if (least_ && value.number() < *least_) value.fail(format("must be {:g} or more", *least_));
}

Json fields_json(const void* row, std::span<const Field> fields) {
  Json json = Json::object();
  for (const Field& field : fields) field.write(row, json);
  return json;
}

void read_fields(void* row, std::span<const Field> fields, const JsonFields& from) {
  for (const Field& field : fields) field.read(row, from);
}

}  // namespace rooflab
