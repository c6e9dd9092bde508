#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {

/// First use of a storage that no op touches.
inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// Whether the storage is there all the time.
[[nodiscard]] inline bool is_permanent(schedule::Role role) {
  return role == schedule::Role::parameter || role == schedule::Role::buffer ||
         role == schedule::Role::input || role == schedule::Role::optimizer_state;
}

[[nodiscard]] inline bool is_cache(const schedule::Schedule& schedule, std::size_t storage) {
  return schedule.storages[storage].role == schedule::Role::cache;
}

/// First and last op of every storage; `last` is the number of ops for what outlives the list.
using Lifetimes = std::vector<schedule::StorageLife>;

/// Storages by the op before which they appear and after which they vanish.
struct Events {
  std::vector<schedule::StorageId> before;  ///< left by the step before, and freed in this one
  std::vector<std::vector<schedule::StorageId>> born;
  std::vector<std::vector<schedule::StorageId>> dead;
  std::vector<bool> permanent;  ///< index: storage
};

/// The step and the loop around it.
struct LoopedStep {
  LoopedStep(const schedule::Schedule& of, const StepLoop& loop);

  const schedule::Schedule& schedule;
  Lifetimes lives;
  Events events;
  std::size_t reset;
  bool keeps_results;
  Bytes old_results;  ///< what the step before still holds
};

}  // namespace rooflab::predict
