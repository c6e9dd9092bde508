#pragma once

#include <cstdint>
#include <memory>

#include "family.hpp"

/// Attention's bias by relative position in windows of pixels, as in Swin and MaxViT: a table with
/// a row per offset between two pixels and a column per head.
namespace rooflab::zoo {

/// Row of the table for every pair of pixels in a window of `window` by `window`, [window^4, 1]:
/// offsets count rows first, from the most negative.
[[nodiscard]] std::shared_ptr<const graph::ConstantData> relative_position_index(
    std::int64_t window);

/// Adds the bias [1, heads, window^2, window^2] from the table [(2 window - 1)^2, heads]; adds the
/// constant `relative_position_index` to the current scope.
ValueId relative_position_bias(GraphBuilder& b, ValueId table,
                               std::shared_ptr<const graph::ConstantData> index,
                               std::int64_t window);

}  // namespace rooflab::zoo
