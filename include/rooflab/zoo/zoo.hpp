#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::zoo {

/// One kind of layer of a chain, repeated.
struct ChainPiece {
  std::string name = {};   ///< `conv`: nodes are called `conv.0`, `conv.1`, ...
  std::string layer = {};  ///< text for single_layer(): `conv2d(64,64,k=3,p=1)`
  std::int64_t count = 1;  ///< 0: the piece is left out
};

/// Parses `conv=conv2d(64,64,k=3,p=1)` into a piece with count 1. Throws Error (usage) when the
/// name is missing or not a module's (letters, digits, `_`).
[[nodiscard]] ChainPiece chain_piece_from_text(std::string_view text);

/// A network of layers one after another, all of the first piece, then all of the second, ...; a
/// layer's result is the next one's operand. Each piece is a module (torch.nn.Sequential) of its
/// name. The graph is called `conv*61+fc*62`.
///
/// Throws Error (usage) that names the piece and the repetition for a layer that does not fit the
/// one before it, for two pieces with one name and for a chain without a layer.
///
///     Graph g = layer_chain({{{"conv", "conv2d(64,64,k=3,p=1)", 61}, {"fc", "linear(112,112)",
///     62}}},
///                           {16, 64, 112, 112});
[[nodiscard]] graph::Graph layer_chain(std::span<const ChainPiece> pieces,
                                       const graph::Shape& input);

/// A network of one layer, written as PyTorch's module with its arguments, by position or by name:
/// `conv2d(3,128,k=3,p=1)`, `relu`, `maxpool2d(2)`, `linear(25088,4096,bias=false)`,
/// `attention(heads=12)`. Names are long or short (`kernel_size` or `k`); extents that differ by
/// dimension are written `3x1`. The node is called `layer`, its parameters `layer.weight`, ...
///
/// `input` is the layer's whole input, batch first; attention takes it three times, as query, key
/// and value, [N, L, E] split into heads or [N, heads, L, D].
///
/// Throws Error (usage), with the known layers or arguments as a hint, for an unknown layer or
/// argument, a wrong value and an input that does not fit the layer.
///
///     graph::Graph g = zoo::single_layer("conv2d(3,128,k=3,p=1)", {256, 3, 224, 224});
[[nodiscard]] graph::Graph single_layer(std::string_view text, const graph::Shape& input);

/// Form of each layer with its arguments: `conv2d(in_channels, out_channels, ...)`.
[[nodiscard]] std::vector<std::string> single_layer_forms();

/// Parses `256x3x224x224`. Throws Error (usage).
[[nodiscard]] graph::Shape shape_from_text(std::string_view text);

// Known networks, built by name.
//
// Every network equals that of torchvision 0.19 in its modules, parameter names
// (`layer1.0.conv1.weight`), order of execution, in-place flags and functional ops, so that counts,
// memory and names in a profile of the framework can be compared line by line.

/// A named difference from the published network.
struct VariantInfo {
  std::string name = {};         ///< `aux`, `cifar`
  std::string description = {};  ///< one sentence
};
[[nodiscard]] std::span<const Field> fields_of(For<VariantInfo>);

struct ModelInfo {
  std::string name = {};        ///< `resnet18`, as torchvision spells it
  std::string family = {};      ///< `resnet`
  std::int64_t input_size = 0;  ///< pixels: height and width that its default weights expect
  std::vector<VariantInfo> variants = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<ModelInfo>);

/// All networks, sorted by family, then by number of parameters.
[[nodiscard]] const std::vector<ModelInfo>& models();

/// Finds a network by name; nullptr for an unknown name. It lives as long as the program.
[[nodiscard]] const ModelInfo* find_model(std::string_view name);

struct BuildOptions {
  std::int64_t batch = 1;
  std::optional<std::int64_t> image_size = {};  ///< pixels; by default the variant's or model's own
  std::int64_t classes = 1000;                  ///< outputs of every classifier
  std::string variant = {};                     ///< empty: as published
};

/// Builds a network for one input `input` [batch, 3, size, size] in fp32, in training order:
/// auxiliary classifiers are present as Node::training_only.
///
/// Throws Error (usage) for an unknown model or variant, for batch or classes below 1 and for an
/// image that the network cannot process.
///
///     graph::Graph g = zoo::build("resnet18", {.batch = 256});
[[nodiscard]] graph::Graph build(const std::string& name, const BuildOptions& options = {});

}  // namespace rooflab::zoo
