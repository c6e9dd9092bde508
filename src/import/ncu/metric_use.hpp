#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "record/counter_metric.hpp"

namespace rooflab::import::ncu {

/// Use of a column of the raw page, or of a row of the details page.
enum class Role : std::uint8_t {
  counter,  ///< a figure of the launch, by `MetricUse::counter`
  cycles,   ///< elapsed cycles, which convert rates per cycle to counts
  device_name,
  device_memory,
  multiprocessors,
  capability_major,
  capability_minor,
  grid_x,
  grid_y,
  grid_z,
  block_x,
  block_y,
  block_z,
};

struct MetricUse {
  Role role = Role::counter;
  /// The counter; for cycles and device_memory only its dimension.
  record::CounterMetric counter;
  int rank = 0;  ///< rank among metrics for cycles: smaller is preferred
};

/// Use of a metric with this name; nullopt: not needed.
[[nodiscard]] std::optional<MetricUse> use_of_metric(std::string_view name);

/// Use of a label that sections of the details page print instead of a name (`Duration`), if the
/// label is unambiguous. `Memory Throughput` is a rate in byte/second or a percentage: the unit
/// decides.
[[nodiscard]] std::optional<MetricUse> use_of_label(std::string_view label, std::string_view unit);

}  // namespace rooflab::import::ncu
