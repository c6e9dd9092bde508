#pragma once

#include "describe/fields.hpp"

namespace rooflab::record {

/// Whether every field is the same: what was written is what is read.
template <Described T>
[[nodiscard]] bool operator==(const T& a, const T& b) {
  return to_json(a) == to_json(b);
}

}  // namespace rooflab::record
