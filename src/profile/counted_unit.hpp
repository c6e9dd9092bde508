#pragma once

#include <cstdint>

#include "rooflab/base/enum_names.hpp"

/// Uses only the standard library, because it is part of the injected library too.
namespace rooflab::profile {

/// Unit of counting of one set of values, with its names in the file of a profile.
enum class CountedUnit : std::uint8_t {
  step,    ///< a whole step between start and stop, with concurrent kernels (user range)
  kernel,  ///< each kernel launch of a step, one after the other (auto range)
  launch,  ///< single launches between the caller's begin_range and end_range (user ranges)
};
constexpr auto names_in_order(For<CountedUnit>) {
  return names_through<CountedUnit::launch>("step", "kernel", "launch");
}

}  // namespace rooflab::profile
