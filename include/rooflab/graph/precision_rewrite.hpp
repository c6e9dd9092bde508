#pragma once

#include "rooflab/base/precision.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// The network in another precision.
///
/// fp64, fp16, bf16: every floating value takes that type. fp32, tf32: unchanged (TF32 is a way of
/// multiplying). amp: PyTorch's CUDA autocast to bf16 as Cast nodes in the graph: operands of
/// matrix ops are cast to bf16 (a parameter once), those of the fp32 list (layer norm, softmax, exp,
/// pow, ...) to fp32, those of the widest list to fp32 when one of them is fp32; everything else
/// keeps the types it gets and promotes. Source: PyTorch documentation, "Automatic Mixed Precision
/// package: CUDA Ops that autocast".
[[nodiscard]] Graph with_precision(const Graph& graph, Precision precision);

}  // namespace rooflab::graph
