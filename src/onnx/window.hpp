#pragma once

#include <cstdint>
#include <vector>

#include "node_import.hpp"

namespace rooflab::onnx {

/// Common attributes of convolution and pooling, one entry per spatial dimension.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> padding_begin;
  std::vector<std::int64_t> padding_end;
  std::vector<std::int64_t> dilation;
};

/// Reads strides, dilations, pads and auto_pad of a node on an input of these extents (batch and
/// channels included). Throws Error (input) for a wrong number of entries or absurd values.
[[nodiscard]] Window read_window(const NodeImport& node, const graph::Shape& input,
                                 std::vector<std::int64_t> kernel);

/// Attributes of a convolution whose weight is operand `weight_at`. Throws Error (input) for a
/// weight without spatial dimensions or absurd groups.
[[nodiscard]] graph::Conv read_conv(const NodeImport& node, std::size_t weight_at = 1);

/// An integer attribute per spatial dimension, `otherwise` in all when absent.
[[nodiscard]] std::vector<std::int64_t> spatial_attribute(const NodeImport& node,
                                                          std::string_view name, std::size_t count,
                                                          std::int64_t otherwise);

}  // namespace rooflab::onnx
