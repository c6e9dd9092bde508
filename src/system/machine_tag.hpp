#pragma once

#include <string>

namespace rooflab {

/// Eight hex digits that identify a running kernel: equal for all its processes, including
/// containers. Locks of flock(2) show living processes only within one kernel, because a file
/// system shared by machines may keep the locks of each separate. If the kernel's boot_id
/// (random(4)) is not known, the digits are unique to this process.
[[nodiscard]] const std::string& machine_tag();

}  // namespace rooflab
