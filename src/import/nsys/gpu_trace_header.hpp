#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::import::nsys {

/// Columns of the report cuda_gpu_trace.
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
/// The columns' names in the report, without units and in lower case.
constexpr auto names_in_order(For<GpuTraceColumn>) {
  return names_through<GpuTraceColumn::name>(
      "start", "duration", "corrid", "grdx", "grdy", "grdz", "blkx", "blky", "blkz", "reg/trd",
      "stcsmem", "dymsmem", "bytes", "srcmemkd", "dstmemkd", "device", "strm", "name");
}

/// Places of the columns, and factors that convert their numbers to seconds, bytes or counts.
class GpuTraceHeader {
 public:
  struct Place {
    std::size_t field = 0;
    double scale = 1.0;
    bool whole_bytes = true;  ///< the unit is a byte: numbers are not rounded
  };

  /// Place of a column; nullptr: the table has no such column, or its unit is not known.
  [[nodiscard]] const Place* operator[](GpuTraceColumn column) const {
    const auto& place = places_[static_cast<std::size_t>(column)];
    return place ? &*place : nullptr;
  }
  [[nodiscard]] std::size_t fields() const { return fields_; }

  /// Parses the fields of a line; nullopt: not the header of such a table, which has a start, a
  /// duration and a name.
  [[nodiscard]] static std::optional<GpuTraceHeader> from(std::span<const std::string_view> fields);

 private:
  std::array<std::optional<Place>, values_of<GpuTraceColumn>.size()> places_;
  std::size_t fields_ = 0;
};

/// Whether the fields are the header of another report of `nsys stats`.
[[nodiscard]] bool is_header_of_sums(std::span<const std::string_view> fields);

}  // namespace rooflab::import::nsys
