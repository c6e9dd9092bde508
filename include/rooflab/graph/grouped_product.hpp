#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "rooflab/graph/shape.hpp"

namespace rooflab::graph {

/// Number of matrices that a grouped product reads. Each group of rows is multiplied by a separate
/// matrix: [rows, inner] by [groups, inner, columns] is [rows, columns]. The matrix of a group
/// without rows is not read, so that at most as many are read as there are rows. nullopt: another
/// product.
[[nodiscard]] inline std::optional<std::int64_t> matrices_read(const Shape& rows,
                                                               const Shape& matrices,
                                                               const Shape& result) {
  if (rows.rank() != 2 || matrices.rank() != 3 || result.rank() != 2) return std::nullopt;
  return std::min(matrices[0], rows[0]);
}

}  // namespace rooflab::graph
