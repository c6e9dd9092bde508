#pragma once

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

/// Elements from the first of a tensor to behind its last.
inline std::int64_t span_of(const Layout& layout) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < layout.strides.size(); ++i) {
    if (layout.type.shape[i] == 0) return 0;
    last = checked_add(last, checked_multiply(layout.type.shape[i] - 1, layout.strides[i]));
  }
  return last + 1;
}

}  // namespace rooflab::recording
