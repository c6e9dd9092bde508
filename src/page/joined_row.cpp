#include "joined_row.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::page {
namespace {

/// Where a column is in a type.
struct Place {
  std::optional<FieldPath> path;
  bool in_member = false;  ///< a member of a member has it
};

/// The places of one column, found once for each type.
class ColumnPlaces {
 public:
  explicit ColumnPlaces(std::string name) : name_(std::move(name)) {}

  /// nullptr: no part of the row has the column.
  const JoinedRow::Part* part_with(const JoinedRow& row) {
    const JoinedRow::Part* deeper = nullptr;
    for (const JoinedRow::Part& part : row.parts()) {
      const Place& place = in(part.fields);
      if (!place.path) continue;
      if (!place.in_member) return &part;
      if (deeper != nullptr) {
        throw std::logic_error(format("two parts of a row have the column '{}'", name_));
      }
      deeper = &part;
    }
    return deeper;
  }
  Json value_in(const JoinedRow::Part& part) {
    return part.value == nullptr ? Json() : value_at(part.value, *in(part.fields).path);
  }

 private:
  const Place& in(std::span<const Field> fields) {
    const auto [found, added] = places_.try_emplace(fields.data());
    if (added && !paths_to(fields, name_).empty()) {
      FieldPath path = path_to(fields, name_);
      found->second.in_member =
          std::ranges::any_of(std::span(path).first(path.size() - 1),
                              [](const Field* field) { return field->figure() != nullptr; });
      found->second.path = std::move(path);
    }
    return found->second;
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
    const JoinedRow::Part* const part = places.part_with(row);
    known = known || part != nullptr;
    values.push_back(part == nullptr ? Json() : places.value_in(*part));
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

JoinedRow& JoinedRow::read(const Json& object) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      read(value);
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
