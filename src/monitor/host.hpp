#pragma once

#include <string>

#include "rooflab/record/environment.hpp"

namespace rooflab::monitor {

/// Fills `date`, `host`, `cpu`, `logical_cpus` and `host_memory`.
void describe_host(record::Environment& environment);

/// Now, UTC: `2026-11-21T14:00:00Z`.
[[nodiscard]] std::string utc_date();

/// This machine's processors as a device, `cpu` 0. Its memory is the host's.
[[nodiscard]] record::DeviceIdentity cpu_identity();

}  // namespace rooflab::monitor
