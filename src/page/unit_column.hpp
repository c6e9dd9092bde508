#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/page/document.hpp"

namespace rooflab::page {

/// A column of a page whose figures have one unit, so that their decimal points are aligned:
/// `predicted, ms` above 17.41, 57.40 and 1.20.
class UnitColumn {
 public:
  /// The common unit of a column; nullopt: it has no unit that takes a prefix, has other words too,
  /// or its figures differ too much for one prefix (more than 3 decimals).
  [[nodiscard]] static std::optional<UnitColumn> of(const Table& table, std::size_t column);

  /// The common unit of figures with these sizes, at least one above 0, in a unit that takes a
  /// prefix.
  [[nodiscard]] static std::optional<UnitColumn> of(std::vector<double> sizes,
                                                    std::string_view unit);

  /// The unit with its prefix: `ms`.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// Head of the column: `predicted, ms`.
  [[nodiscard]] std::string title(const std::string& title) const;
  /// The figure of a cell without its unit; a dash is kept.
  [[nodiscard]] std::string text(const Cell& cell) const;
  [[nodiscard]] std::string text(double value) const;

 private:
  std::string unit_;  ///< with its prefix
  double factor_ = 1.0;
  int decimals_ = 0;
};

}  // namespace rooflab::page
