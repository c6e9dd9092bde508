#pragma once

#include "engine/probe.hpp"
#include "op_bench.hpp"

namespace rooflab::torch_worker {

/// Measures the last node of `graph`: its device time and memory and, if gradients are asked for,
/// those of its gradients. The nodes before it only prepare its operands and are run once,
/// outside of what is timed: views, which make strided ones, `contiguous` and `cast`, without which
/// an op in place would write to a parameter.
///
/// Before each repetition the caches are brought to the state between two ops of a network: they
/// hold the operand that the op before has just written (both of a product of two tensors, all of
/// attention, the last part of a concatenation, else the first), before a gradient the gradient of
/// the result, and nothing else that the op reads.
///
/// data_gradient: with respect to the node's first operand alone. weight_gradient: to the second
/// alone, of convolutions and matrix products. gradients: of the other ops, to all their operands
/// (of recurrent layers those of the weights follow from those of the data).
///
/// Throws Unsupported, and what the framework throws.
[[nodiscard]] engine::ProbeResult measure_op(const engine::ProbeItem& item,
                                             const graph::Graph& graph, OpBench& bench);

}  // namespace rooflab::torch_worker
