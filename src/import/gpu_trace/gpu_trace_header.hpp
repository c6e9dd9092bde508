#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rooflab::import {

/// Columns of a table with a row for each kernel, copy and fill of a device.
enum class GpuTraceColumn : std::uint8_t {
  start,
  duration,
  correlation,
  grid_x,
  grid_y,
  grid_z,
  block_x,
  block_y,
  block_z,
  registers,
  static_memory,
  dynamic_memory,
  bytes,
  source,
  destination,
  device,
  stream,
  name,
};
/// How a tool writes such tables.
struct GpuTraceForm {
  /// Names of the columns, in lower case; empty: the tool has no such column.
  std::array<std::string_view, static_cast<std::size_t>(GpuTraceColumn::name) + 1> columns;
  int decimals = 3;  ///< digits after the point in numbers that are not whole
};

/// Head of a column in lower case: its name and the unit of its numbers.
struct ColumnHead {
  std::string name;
  std::string unit;
};

/// Seconds of a unit of time in lower case: `us`; nullopt: it is not one.
[[nodiscard]] std::optional<double> seconds_of(std::string_view unit);

/// Places of the columns, and factors that convert their numbers to seconds, bytes or counts.
class GpuTraceHeader {
 public:
  struct Place {
    std::size_t field = 0;
    double scale = 1.0;
    bool exact_zero = true;  ///< a zero is one, not a rounded size
  };

  /// Place of a column; nullptr: the table has no such column, or its unit is not known.
  [[nodiscard]] const Place* operator[](GpuTraceColumn column) const {
    const auto& place = places_[static_cast<std::size_t>(column)];
    return place ? &*place : nullptr;
  }
  [[nodiscard]] std::size_t fields() const { return fields_; }

  /// Finds the columns; nullopt: not the header of such a table, which has a start, a duration and
  /// a name.
  [[nodiscard]] static std::optional<GpuTraceHeader> from(std::span<const ColumnHead> heads,
                                                          const GpuTraceForm& form);

 private:
  std::array<std::optional<Place>, static_cast<std::size_t>(GpuTraceColumn::name) + 1> places_;
  std::size_t fields_ = 0;
};

}  // namespace rooflab::import
