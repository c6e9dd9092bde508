#pragma once

#include "node_import.hpp"

namespace rooflab::onnx {

/// [batch, sequence, heads * extent] as [batch, heads, sequence, extent]; rank 4 stays as it is.
[[nodiscard]] graph::ValueId split_heads(NodeImport& node, graph::ValueId x, std::int64_t heads);

/// The way back: [batch, heads, sequence, extent] as [batch, sequence, heads * extent].
[[nodiscard]] graph::ValueId merge_heads(NodeImport& node, graph::ValueId x);

/// `past` and `x`, both [batch, heads, sequence, extent], one after the other.
[[nodiscard]] graph::ValueId after_past(NodeImport& node, graph::ValueId past, graph::ValueId x);

/// The graph's causal mask begins at the first key: says so where queries follow past keys.
void note_causal(NodeImport& node, graph::ValueId q, graph::ValueId k);

}  // namespace rooflab::onnx
