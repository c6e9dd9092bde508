#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rooflab/graph/shape.hpp"

namespace rooflab::schedule {

/// Distance in elements between neighbours along each dimension. 0 repeats an element (expand).
using Strides = std::vector<std::int64_t>;

/// Row-major strides of a dense tensor: the last dimension is innermost.
[[nodiscard]] Strides contiguous_strides(const graph::Shape& shape);

/// Dense strides whose memory order is `order`, outermost dimension first.
[[nodiscard]] Strides dense_strides(const graph::Shape& shape, std::span<const std::size_t> order);

/// Strides with memory order N, H, W, C for a logical N, C, H, W tensor (rank 4, and rank 5 with
/// depth).
[[nodiscard]] Strides channels_last_strides(const graph::Shape& shape);

/// Whether strides are contiguous; extents of 1 are ignored, as in PyTorch.
[[nodiscard]] bool is_contiguous(const graph::Shape& shape, const Strides& strides);

/// Whether strides are channels-last and not also contiguous (PyTorch's suggest_memory_format).
[[nodiscard]] bool is_channels_last(const graph::Shape& shape, const Strides& strides);

/// Whether strides cover every element once without gaps, in any order.
[[nodiscard]] bool is_dense(const graph::Shape& shape, const Strides& strides);

/// `contiguous`, `channels_last` or `strided`.
[[nodiscard]] std::string_view memory_format_name(const graph::Shape& shape,
                                                  const Strides& strides);

/// Strides of the same elements seen with another shape, or nullopt when that needs a copy.
/// Source: the rule of torch.Tensor.view (dimensions that are contiguous with each other merge).
[[nodiscard]] std::optional<Strides> view_strides(const graph::Shape& from, const Strides& strides,
                                                  const graph::Shape& to);

/// An operand of an elementwise op: its own shape (before broadcasting) and strides.
struct StridedOperand {
  const graph::Shape* shape = {};
  const Strides* strides = {};
};

/// Dense strides of the result of an elementwise op: dimensions are ordered by the first operand
/// that distinguishes two of them. Source: PyTorch's TensorIterator, documented behaviour of
/// "preserve" memory format for several operands.
[[nodiscard]] Strides elementwise_strides(std::span<const StridedOperand> operands,
                                          const graph::Shape& result);

}  // namespace rooflab::schedule
