#pragma once

#include <cstdint>

#include "rooflab/base/enum_names.hpp"

/// Standard library only: this is part of the injected library too.
namespace rooflab::profile {

/// What one set of values is of. In the file of a profile by these names.
enum class CountedUnit : std::uint8_t {
  step,    ///< a whole step, everything between start and stop, kernels concurrent (user range)
  kernel,  ///< each kernel launch of a step, one after the other (auto range)
  launch,  ///< single launches, what the caller puts between begin_range and end_range (user
           ///< ranges)
};
constexpr auto names_in_order(For<CountedUnit>) {
  return names_through<CountedUnit::launch>("step", "kernel", "launch");
}

}  // namespace rooflab::profile
