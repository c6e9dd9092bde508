#pragma once

#include "node_import.hpp"

namespace rooflab::onnx {

/// Converts [batch, sequence, heads * extent] to [batch, heads, sequence, extent]; rank 4 is not
/// changed.
[[nodiscard]] graph::ValueId split_heads(NodeImport& node, graph::ValueId x, std::int64_t heads);

/// Converts [batch, heads, sequence, extent] to [batch, sequence, heads * extent].
[[nodiscard]] graph::ValueId merge_heads(NodeImport& node, graph::ValueId x);

/// Concatenates `past` and `x`, both [batch, heads, sequence, extent], along the sequence.
[[nodiscard]] graph::ValueId after_past(NodeImport& node, graph::ValueId past, graph::ValueId x);

/// Adds a note where queries follow past keys, because the graph's causal mask begins at the first
/// key.
void note_causal(NodeImport& node, graph::ValueId q, graph::ValueId k);

}  // namespace rooflab::onnx
