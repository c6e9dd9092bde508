#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A column of a page whose figures stand in one unit, so that their points are below each other:
/// `predicted, ms` above 17.41, 57.40 and 1.20.
class UnitColumn {
 public:
  /// nullopt: the column has no unit that takes a prefix, holds other words too, or its figures lie
  /// too far apart for one prefix (more than 3 decimals).
  [[nodiscard]] static std::optional<UnitColumn> of(const Table& table, std::size_t column);

  /// For figures of at least one size above 0, in a unit that takes a prefix.
  [[nodiscard]] static std::optional<UnitColumn> of(std::vector<double> sizes,
                                                    std::string_view unit);

  /// With its prefix: `ms`.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// The head: `predicted, ms`.
  [[nodiscard]] std::string title(const std::string& title) const;
  /// The figure without its unit; a dash stays.
  [[nodiscard]] std::string text(const Cell& cell) const;
  [[nodiscard]] std::string text(double value) const;

 private:
  std::string unit_;  ///< with its prefix
  double factor_ = 1.0;
  int decimals_ = 0;
};

}  // namespace rooflab::report
