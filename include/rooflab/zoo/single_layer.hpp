#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::zoo {

/// A network of one layer, written as PyTorch's module with its arguments, by position or by name:
/// `conv2d(3,128,k=3,p=1)`, `relu`, `maxpool2d(2)`, `linear(25088,4096,bias=false)`,
/// `attention(heads=12)`. Names are long or short (`kernel_size` or `k`); extents that differ by
/// dimension are written `3x1`. The node is called `layer`, its parameters `layer.weight`, ...
///
/// `input` is the layer's whole input, batch first; attention takes it three times, as query, key
/// and value, [N, L, E] split into heads or [N, heads, L, D].
///
/// Throws Error (usage), with the layers or arguments there are as a hint, for an unknown layer or
/// argument, a wrong value and an input that does not fit the layer.
///
///     graph::Graph g = zoo::single_layer("conv2d(3,128,k=3,p=1)", {256, 3, 224, 224});
[[nodiscard]] graph::Graph single_layer(std::string_view text, const graph::Shape& input);

/// How each layer is written, with its arguments: `conv2d(in_channels, out_channels, ...)`.
[[nodiscard]] std::vector<std::string> single_layer_forms();

/// `256x3x224x224`. Throws Error (usage).
[[nodiscard]] graph::Shape shape_from_text(std::string_view text);

}  // namespace rooflab::zoo
