#pragma once

#include <cstdint>
#include <memory>

#include "family.hpp"

/// Attention's bias by relative position, as windows of pixels have it in Swin and MaxViT: a row of
/// a table for each offset between two pixels, a column for each head.
namespace rooflab::zoo {

/// The table's row for every pair of pixels of a window of `window` by `window`, [window^4, 1]:
/// offsets count rows first and begin with the most negative.
[[nodiscard]] std::shared_ptr<const graph::ConstantData> relative_position_index(
    std::int64_t window);

/// The bias [1, heads, window^2, window^2] out of the table [(2 window - 1)^2, heads]; adds the
/// constant `relative_position_index` to the current scope.
ValueId relative_position_bias(GraphBuilder& b, ValueId table,
                               std::shared_ptr<const graph::ConstantData> index,
                               std::int64_t window);

}  // namespace rooflab::zoo
