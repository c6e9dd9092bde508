#pragma once

#include <cstdint>
#include <optional>

#include "assembly.hpp"
#include "pattern.hpp"

namespace rooflab::onnx {

/// Scaled dot-product attention as an exporter decomposes it:
///
///     softmax((q sqrt(scale)) (k^T sqrt(scale)) + mask) v
///
/// with q [..., L, E], k [..., S, E], v [..., S, D].
struct AttentionParts {
  graph::ValueId q = -1;
  graph::ValueId v = -1;
  graph::ValueId mask = -1;  ///< added to the scores; -1 without one
  graph::ValueId scores = -1;
  std::optional<double> scale = {};  ///< nullopt: 1 / sqrt(E)

  /// k is the result of `key_op` on `key_from`, in place of the node that scales k^T; without an op
  /// it is `key_from` itself.
  graph::ValueId key_from = -1;
  std::optional<graph::Op> key_op = {};
  graph::NodeId key_scaling = -1;
};

/// Form of an attention in a file.
enum class AttentionForm : std::uint8_t {
  none,     ///< the product ends no attention
  by_hand,  ///< scaled once or not at all, as in code without a fused call
  split,    ///< both factors are scaled by a root: an exporter decomposed one call
};

struct FoundAttention {
  AttentionForm form = AttentionForm::none;
  AttentionParts parts = {};  ///< filled for `split`
};

/// Finds the attention whose last product, of weights and values, is `product`.
[[nodiscard]] FoundAttention find_attention(const Pattern& pattern, const graph::Node& product);

}  // namespace rooflab::onnx
