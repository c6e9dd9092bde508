#pragma once

#include <string>

namespace rooflab {

/// Eight hex digits that are the same for all processes of one running kernel, containers included,
/// and others elsewhere. Locks of flock(2) tell who lives among those processes alone: a file
/// system that machines share may keep the locks of each to itself. Where the kernel does not tell
/// (boot_id of random(4)), they are this process's own.
[[nodiscard]] const std::string& machine_tag();

}  // namespace rooflab
