#pragma once

#include <cstdint>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::record {

/// A part of every training step that is profiled instead of whole steps.
enum class StepPart : std::uint8_t { forward, backward, both };
constexpr auto names_in_order(For<StepPart>) {
  return names_through<StepPart::both>("forward", "backward", "both");
}

}  // namespace rooflab::record
