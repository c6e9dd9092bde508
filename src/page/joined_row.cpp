#include "joined_row.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::page {
namespace {

/// Where a column is in a type: as a member, or in members.
struct Place {
  std::vector<FieldPath> paths;
  bool in_members = false;
};

Place place_in(std::span<const Field> fields, std::string_view name) {
  Place place{paths_to(fields, name)};
  if (place.paths.empty()) return place;
  // A part whose fields are among those of the whole has no key.
  const std::span before = std::span(place.paths.front()).first(place.paths.front().size() - 1);
  place.in_members =
      std::ranges::any_of(before, [](const Field* field) { return field->figure() != nullptr; });
  return place;
}

/// The places of one column, found once for each type.
class ColumnPlaces {
 public:
  explicit ColumnPlaces(std::string name) : name_(std::move(name)) {}

  /// The column's value in the parts of a row; nullopt where no type of them has it.
  std::optional<Json> value_in(const JoinedRow& row) {
    const JoinedRow::Part* inner = nullptr;
    std::size_t members = 0;
    bool missing = false;
    for (const JoinedRow::Part& part : row.parts()) {
      const Place& place = in(part.fields);
      if (place.paths.empty()) continue;
      if (part.value == nullptr) {
        missing = true;
      } else if (!place.in_members) {
        return value_at(part.value, place.paths.front());
      } else {
        inner = &part;
        members += place.paths.size();
      }
    }
    if (members > 1) {
      throw std::logic_error(format("{} members of a row have the column '{}'", members, name_));
    }
    if (inner != nullptr) return value_at(inner->value, in(inner->fields).paths.front());
    return missing ? std::optional(Json()) : std::nullopt;
  }

 private:
  const Place& in(std::span<const Field> fields) {
    const auto found = places_.find(fields.data());
    if (found != places_.end()) return found->second;
    return places_.emplace(fields.data(), place_in(fields, name_)).first->second;
  }

  std::string name_;
  std::map<const Field*, Place> places_;
};

/// The values of a column by row.
std::vector<Json> values_of(std::span<const JoinedRow> rows, const std::string& name) {
  ColumnPlaces places(name);
  std::vector<Json> values;
  bool known = rows.empty();
  for (const JoinedRow& row : rows) {
    if (const Json* const own = row.own(name)) {
      values.push_back(*own);
      known = true;
      continue;
    }
    std::optional<Json> value = places.value_in(row);
    known = known || value.has_value();
    values.push_back(std::move(value).value_or(Json()));
  }
  if (!known) throw std::logic_error(format("no row has the column '{}'", name));
  return values;
}

}  // namespace

JoinedRow& JoinedRow::mean_of(std::size_t steps, std::initializer_list<FigureKey> sums) {
  if (steps <= 1) return *this;
  for (const FigureKey key : sums) {
    const std::string name(key.key());
    const Json sum = values_of({this, 1}, name).front();
    if (sum.is_number()) own_.emplace_back(name, sum.get<double>() / static_cast<double>(steps));
  }
  return *this;
}

JoinedRow& JoinedRow::of_file(const Json& object) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      of_file(value);
    } else if (own(key) == nullptr) {
      own_.emplace_back(key, value);
    } else {
      throw Error(ErrorKind::input, format("a row has the key '{}' twice", key));
    }
  }
  return *this;
}

const Json* JoinedRow::own(std::string_view name) const {
  // The last one counts.
  const auto found = std::find_if(own_.rbegin(), own_.rend(),
                                  [name](const auto& each) { return each.first == name; });
  return found == own_.rend() ? nullptr : &found->second;
}

Table table_of(std::span<const JoinedRow> rows, std::span<const FigureColumn> columns) {
  return table_of(rows.size(), columns, [rows](const std::string& name) -> ValueOf {
    return [values = values_of(rows, name)](std::size_t i) { return values[i]; };
  });
}

}  // namespace rooflab::page
