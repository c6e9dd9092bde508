#pragma once

#include <sys/types.h>

#include <memory>

#include "sensor.hpp"

namespace rooflab::monitor {

/// Processor time and memory of a process, from /proc; with children also of those it started and
/// theirs, as long as they live or once they were waited for.
///
/// Samples hold `task_clock_s` (user and system time, in the kernel's ticks of usually 10 ms; it
/// never falls) and `resident_bytes` (of all of them together: pages that they share count in
/// each). Once the process is gone both are absent; an ended one that was not waited for still has
/// its task clock. `device()` is `cpu`, `name()` the program's name.
[[nodiscard]] std::unique_ptr<Sensor> process_sensor(pid_t pid, bool with_children);

}  // namespace rooflab::monitor
