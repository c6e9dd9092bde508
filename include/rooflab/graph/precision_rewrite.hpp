#pragma once

#include "rooflab/base/precision.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// The network in another precision.
///
/// fp64, fp16, bf16: every floating value takes that type. fp32, tf32: unchanged (TF32 is a way of
/// multiplying). amp-fp16, amp-bf16: PyTorch's CUDA autocast to that type as Cast nodes in the
/// graph: operands of matrix ops are cast to it (a parameter once), those of the fp32 list (layer
/// norm, softmax, exp, pow, ...) to fp32, those of the widest list to fp32 when one of them is
/// fp32; everything else keeps the types it gets and promotes. amp: bf16, for want of a device that
/// says otherwise (device::precision_on). Source: PyTorch documentation, "Automatic Mixed Precision
/// package: CUDA Ops that autocast".
[[nodiscard]] Graph with_precision(const Graph& graph, Precision precision);

}  // namespace rooflab::graph
