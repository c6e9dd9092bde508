#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "row_table.hpp"

namespace rooflab::page {

/// A row of a table that is made of several described values. The value of a column is the table's
/// own, else that of the first part whose type has it as a member, else that of the only part of
/// which a member has it. A missing part has no values, but the columns of its type.
class JoinedRow {
 public:
  struct Part {
    std::span<const Field> fields;
    const void* value;  ///< nullptr for a missing part
  };

  /// Adds a part, which must live until the table is made.
  template <Described T>
  JoinedRow& of(const T& part) {
    return of(fields_of(For<T>{}), &part);
  }
  template <Described T>
  JoinedRow& of(const T&& part) = delete;
  template <Described T>
  JoinedRow& of(const std::optional<T>& part) {
    return of(fields_of(For<T>{}), part ? &*part : nullptr);
  }
  /// Adds missing parts, which other rows of the table have.
  template <Described... T>
  JoinedRow& without() {
    (of(fields_of(For<T>{}), nullptr), ...);
    return *this;
  }
  JoinedRow& of(std::span<const Field> fields, const void* part) {
    parts_.push_back({fields, part});
    return *this;
  }
  /// Adds a part, which the row keeps.
  template <Described T>
  JoinedRow& keeping(T part) {
    const auto kept = std::make_shared<const T>(std::move(part));
    kept_.push_back(kept);
    return of(*kept);
  }

  template <Described T>
  JoinedRow& keeping(const std::optional<T>& part) {
    return part ? keeping(*part) : without<T>();
  }

  /// A value of the table itself; null hides those of the parts.
  template <class Value>
  JoinedRow& own(FigureKey key, const Value& value) {
    own_.emplace_back(key.key(), codec::encode(value));
    return *this;
  }
  /// Values from a file, those of members of members too. Throws Error (input) where a key is there
  /// twice.
  JoinedRow& of_file(const Json& object);
  /// Shows these figures of the parts as the mean of a step. They are sums over `steps` steps.
  JoinedRow& mean_of(std::size_t steps, std::initializer_list<FigureKey> sums);

  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  /// nullptr where the table itself says nothing of the column.
  [[nodiscard]] const Json* own(std::string_view name) const;

 private:
  std::vector<Part> parts_;
  std::vector<std::pair<std::string, Json>> own_;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// Table with one row per entry. Each column is found once for each type of part. A column that no
/// row has, and one that several members of a row have, are faults of the table.
[[nodiscard]] Table table_of(std::span<const JoinedRow> rows,
                             std::span<const FigureColumn> columns);
[[nodiscard]] inline Table table_of(const std::vector<JoinedRow>& rows,
                                    std::span<const FigureColumn> columns) {
  return table_of(std::span(rows), columns);
}

}  // namespace rooflab::page
