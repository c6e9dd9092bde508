#pragma once

#include <string>

#include "rooflab/record/environment.hpp"

namespace rooflab::monitor {

/// Fills `date`, `host`, `cpu`, `logical_cpus` and `host_memory`.
void describe_host(record::Environment& environment);

/// Current time in UTC: `2026-11-21T14:00:00Z`.
[[nodiscard]] std::string utc_date();

/// The processors of this machine as the device `cpu` 0, with the host's memory.
[[nodiscard]] record::DeviceIdentity cpu_identity();

}  // namespace rooflab::monitor
