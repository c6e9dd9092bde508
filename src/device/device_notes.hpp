#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::device {

/// What the choice of a device says.
struct Sentences {
  NoteSentence device_taken{"device_taken", "{} is taken as {} (others: {})"};
};
inline constexpr Sentences says{};

}  // namespace rooflab::device
