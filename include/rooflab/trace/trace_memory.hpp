#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/trace/trace_devices.hpp"

namespace rooflab::trace {

struct MemoryPoint {
  std::int64_t time_ns = 0;
  std::int64_t allocated_bytes = 0;
  std::optional<std::int64_t> reserved_bytes;  ///< in the allocator's segments
};

/// The allocator's state over time on one device, a point after each change.
struct MemoryCurve {
  int device = -1;                  ///< -1: the host
  std::vector<MemoryPoint> points;  ///< sorted by time
  /// Totals were not recorded: `allocated_bytes` is the change since the trace began, and may be
  /// negative.
  bool relative = false;
  std::optional<std::int64_t> peak_allocated_bytes;  ///< nullopt when relative
  std::optional<std::int64_t> peak_reserved_bytes;

  [[nodiscard]] std::string label() const { return device_label(device); }
  [[nodiscard]] std::size_t changes() const { return points.size(); }
};

[[nodiscard]] std::span<const Field> fields_of(For<MemoryCurve>);

}  // namespace rooflab::trace
