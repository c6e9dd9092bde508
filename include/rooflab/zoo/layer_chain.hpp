#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/graph/graph.hpp"

namespace rooflab::zoo {

/// One kind of layer of a chain, repeated.
struct ChainPiece {
  std::string name;        ///< `conv`: its nodes are `conv.0`, `conv.1`, ...
  std::string layer;       ///< text for single_layer(): `conv2d(64,64,k=3,p=1)`
  std::int64_t count = 1;  ///< 0: the piece is left out
};

/// `conv=conv2d(64,64,k=3,p=1)`, once. Throws Error (usage) when the name is missing or could not
/// be one of a module (letters, digits, `_`).
[[nodiscard]] ChainPiece chain_piece_from_text(std::string_view text);

/// A network of layers one after another, all of the first piece, then all of the second, ...; a
/// layer's result is the next one's operand. Each piece is a module (torch.nn.Sequential) of its
/// name. The graph is called `conv*61+fc*62`.
///
/// Throws Error (usage) that names the piece and the repetition for a layer that does not fit what
/// comes before it, for two pieces of one name and for a chain without a layer.
///
///     Graph g = layer_chain({{{"conv", "conv2d(64,64,k=3,p=1)", 61}, {"fc", "linear(112,112)",
///     62}}},
///                           {16, 64, 112, 112});
[[nodiscard]] graph::Graph layer_chain(std::span<const ChainPiece> pieces,
                                       const graph::Shape& input);

}  // namespace rooflab::zoo
