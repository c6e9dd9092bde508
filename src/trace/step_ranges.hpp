#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace_timeline.hpp"

/// Ranges of the host that are the steps of a process. Not a public header.
namespace rooflab::trace {

struct StepRange {
  TimeInterval interval;
  std::uint32_t range = 0;
  record::NameTable::Id thread = 0;
};

/// Host ranges that mark a step, in the order of time.
[[nodiscard]] std::vector<StepRange> step_ranges(const Timeline& timeline);

/// Whether threads mark steps at the same time.
[[nodiscard]] bool are_of_several_threads(const std::vector<StepRange>& marks);

struct StepChoice {
  std::vector<StepRange> steps;
  std::int64_t nested = 0;
  std::int64_t overlapping = 0;
  std::int64_t of_other_threads = 0;
  /// Thread of the steps, if other threads mark steps at the same time.
  std::optional<record::NameTable::Id> thread;
};
/// Chooses the steps; ranges that are left out or cut are counted (StepWindows).
[[nodiscard]] StepChoice chosen_steps(const Timeline& timeline);

}  // namespace rooflab::trace
