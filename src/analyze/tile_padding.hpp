#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/graph/graph.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::analyze {

/// A matrix product as a kernel computes it: rows x columns results, each a sum over channels x
/// taps products. Convolutions are such products (implicit GEMM).
struct ProductExtents {
  std::string pass;           ///< `forward`, `data gradient`, `weight gradient`
  std::int64_t products = 1;  ///< independent products: groups, heads
  std::int64_t rows = 0;      ///< pixels or tokens of the batch; weight gradient: outputs
  std::int64_t columns = 0;   ///< outputs; weight gradient: inputs x taps
  std::int64_t channels = 0;  ///< summed over; weight gradient: pixels of the batch
  std::int64_t taps = 1;      ///< elements of the filter, also summed over

  [[nodiscard]] double flops() const;
};

/// The products of a convolution, linear layer or matrix product; empty for other ops, and without
/// gradients whose direct count differs from a full product (data gradients of strided and
/// transposed convolutions).
[[nodiscard]] std::vector<ProductExtents> products_of(const graph::Graph& network,
                                                      const graph::Node& node);

/// Rows, columns and depth of the results that one thread block computes; depth 0: not known.
using Tile = std::array<std::int64_t, 3>;
/// Parses the tile in the name of a library's kernel: `..._tilesize64x32x64_...`, `..GemmShape<64,
/// 128, 16>..`, `sgemm_128x64_nn`.
[[nodiscard]] std::optional<Tile> tile_of(std::string_view kernel);

/// Describes how the product's extents, rounded up to tiles, give `flops`; nullopt when no rounding
/// does. `tolerance`: fraction by which `flops` may exceed the product (arithmetic of indices and
/// epilogue on CUDA cores; tensor cores have none).
[[nodiscard]] std::optional<std::string> padding_that_gives(double flops,
                                                            const ProductExtents& extents,
                                                            std::string_view kernel,
                                                            const record::Extent& grid,
                                                            double tolerance);

}  // namespace rooflab::analyze
