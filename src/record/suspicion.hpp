#pragma once

#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// From what part of a step's time the host's work to issue it makes the host the bottleneck.
inline constexpr double host_bound_share = 0.9;

/// Whether the device waits for the host: issuing a step's work takes `host_bound_share` of the
/// step or more, on a device that works by itself (not the CPU). False where it was not measured.
[[nodiscard]] bool is_host_bound(const Record& record);

/// Why the figures of a record deserve doubt, from the record alone: times that
/// vary or had not settled, few steps, throttling, clocks that moved, a device that waits for the
/// host, broken data. The thresholds stand in suspicion.cpp. The worker's own `warnings` are not
/// repeated.
[[nodiscard]] std::vector<Note> suspicions_of(const Record& record);

}  // namespace rooflab::record
