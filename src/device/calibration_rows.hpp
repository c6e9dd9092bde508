#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/toml.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

/// Reads the rows of op tables from the text of the whole file, so that an error names line and
/// column of the wrong number. TOML's own arrays would take ten times as long.
class RowReader {
 public:
  /// Takes the text of the file, which must outlive this.
  explicit RowReader(std::string_view text);

  /// Reads the rows in a literal text between three quotes. Throws Error (input) at the place of a
  /// text that is not a number, is out of range, or is one number too few or too many.
  [[nodiscard]] std::vector<OpRow> read(const TomlValue& literal, std::size_t columns) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace rooflab::device
