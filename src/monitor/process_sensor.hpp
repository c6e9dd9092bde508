#pragma once

#include <sys/types.h>

#include <memory>

#include "sensor.hpp"

namespace rooflab::monitor {

/// Sensor for processor time and memory of a process, from /proc; with children also of all its
/// descendants, as long as they live or after they were waited for.
///
/// Samples have `task_clock_s` (user and system time, in the kernel's ticks of usually 10 ms; it
/// never falls) and `resident_bytes` (sum over the processes; shared pages count in each). Once the
/// process is gone both are nullopt; an ended process that was not waited for still has its task
/// clock. `device()` is `cpu`, `name()` the program's name.
[[nodiscard]] std::unique_ptr<Sensor> process_sensor(pid_t pid, bool with_children);

}  // namespace rooflab::monitor
