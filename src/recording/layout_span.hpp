#pragma once

#include <algorithm>

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

/// Number of elements from the first of a tensor up to and including its last.
inline std::int64_t span_of(const Layout& layout) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < layout.strides.size(); ++i) {
    if (layout.type.shape[i] == 0) return 0;
    last = checked_add(last, checked_multiply(layout.type.shape[i] - 1, layout.strides[i]));
  }
  return last + 1;
}

/// Rounds up to the next whole multiple.
constexpr std::int64_t rounded_up(std::int64_t bytes, std::int64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

/// Widens `most`, the reach of tensors in a storage, by a tensor of this layout.
inline void reach(Bytes& most, const Layout& layout, std::int64_t offset) {
  const std::int64_t end = checked_add(offset, span_of(layout));
  most = std::max(most, Bytes(checked_multiply(end, size_of(layout.type.dtype))));
}

}  // namespace rooflab::recording
