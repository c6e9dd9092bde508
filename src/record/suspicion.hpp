#pragma once

#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// Share of a step's time from which the host's issue time makes the host the bottleneck.
inline constexpr double host_bound_share = 0.9;

/// Whether the device waits for the host: issuing a step's work takes `host_bound_share` of the
/// step or more, on a device other than the CPU. False where it was not measured.
[[nodiscard]] bool is_host_bound(const Record& record);

/// Reasons to doubt the figures of a record, from the record alone: times that vary or had not
/// settled, few steps, throttling, clocks that moved, a device that waits for the host, broken
/// data. The thresholds are in suspicion.cpp. The worker's own `warnings` are not repeated.
[[nodiscard]] std::vector<Note> suspicions_of(const Record& record);

}  // namespace rooflab::record
