#include "line_members.hpp"

#include <limits>

namespace rooflab::counters {

const Json* member(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const Json& json, const char* key) {
  const Json* value = member(json, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<std::int64_t> integer_of(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> integer_of(const Json& json, const char* key) {
  const Json* value = member(json, key);
  return value == nullptr ? std::nullopt : integer_of(*value);
}

std::optional<std::int64_t> count_of(const Json& json, const char* key) {
  const auto value = integer_of(json, key);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<int> small_of(const Json& json, const char* key) {
  const auto value = count_of(json, key);
  if (!value || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<std::uint32_t> id_of(const Json& value) {
  const auto id = integer_of(value);
  if (!id || *id < 0 || *id > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*id);
}

std::optional<std::vector<std::uint32_t>> ids_of(const Json& json, const char* key) {
  const Json* list = member(json, key);
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<std::uint32_t> ids;
  for (const Json& item : *list) {
    const auto id = id_of(item);
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

std::optional<record::Extent> extent_of(const Json& json, const char* key) {
  const auto ids = ids_of(json, key);
  if (!ids || ids->size() != 3) return std::nullopt;
  return record::Extent{(*ids)[0], (*ids)[1], (*ids)[2]};
}

std::vector<std::string> texts_of(const Json& json, const char* key) {
  std::vector<std::string> texts;
  const Json* list = member(json, key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& item : *list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::optional<std::vector<double>> numbers_of(const Json& json, const char* key) {
  const Json* list = member(json, key);
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<double> numbers;
  for (const Json& item : *list) {
    if (!item.is_null() && !item.is_number()) return std::nullopt;
    numbers.push_back(item.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                     : item.get<double>());
  }
  return numbers;
}

}  // namespace rooflab::counters
