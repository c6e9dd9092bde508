#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/time_interval.hpp"

namespace rooflab::trace {

/// One step of the profiler as the panes count it.
struct StepWindow {
  std::string name;     ///< `3` of `ProfilerStep#3`; `0` where no step is marked
  TimeInterval window;  ///< from the end of the previous step's device work to the end of its own
  TimeInterval marked;  ///< the host's range, as the trace has it
  std::int64_t device_work = 0;  ///< kernels and copies launched in `marked`
};

/// Steps in the order of time; windows do not overlap. Empty: the trace holds no event.
struct StepWindows {
  std::vector<StepWindow> steps;
  bool marked = false;  ///< the trace has steps; false: one window over all
  int dropped = 0;      ///< last steps left out, whose device work the profiler may have missed

  /// From the first step's start to the last one's end; {0, 0} without steps.
  [[nodiscard]] TimeInterval span() const;
  [[nodiscard]] std::vector<TimeInterval> windows() const;
};

[[nodiscard]] std::span<const Field> fields_of(For<StepWindow>);
[[nodiscard]] std::span<const Field> fields_of(For<StepWindows>);

}  // namespace rooflab::trace
