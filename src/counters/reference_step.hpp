#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile_facts.hpp"

namespace rooflab::counters {

/// The step whose kernels were counted.
struct ReferenceStep {
  std::vector<std::uint32_t> launches;  ///< signatures of its kernels, by their likes
  std::vector<std::size_t> found;       ///< where it begins in the traced kernels
};

/// Finds the step of a profile; nothing without launches. Sorts the traced kernels, and
/// leaves out those that ran before the first step.
[[nodiscard]] ReferenceStep find_step(ProfileFacts& facts);

}  // namespace rooflab::counters
