#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "rooflab/graph/shape.hpp"

namespace rooflab::graph {

/// Matrices that a product of several groups of rows reads, each group times a matrix of its own:
/// [rows, inner] by [groups, inner, columns] is [rows, columns]. A group without a row leaves its
/// matrix alone, so that no more are read than there are rows. nullopt: another product.
[[nodiscard]] inline std::optional<std::int64_t> matrices_read(const Shape& rows,
                                                               const Shape& matrices,
                                                               const Shape& result) {
  if (rows.rank() != 2 || matrices.rank() != 3 || result.rank() != 2) return std::nullopt;
  return std::min(matrices[0], rows[0]);
}

}  // namespace rooflab::graph
