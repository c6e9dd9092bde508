#pragma once

#include <cstdint>

#include "rooflab/graph/op.hpp"

namespace rooflab::graph {

/// Returns the op with the extent along `axis` of its shape attributes scaled from one batch to
/// another.
[[nodiscard]] Op with_batch_at(const Op& op, std::size_t axis, std::int64_t old_batch,
                               std::int64_t new_batch);

}  // namespace rooflab::graph
