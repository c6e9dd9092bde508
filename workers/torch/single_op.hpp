#pragma once

#include "engine/worker_probe.hpp"
#include "op_bench.hpp"

namespace rooflab::torch_worker {

/// Measures the last node of `graph`: its device time and memory and, if requested, those of its
/// gradients. The nodes before it only prepare its operands and are run once without timing: views,
/// which make strided operands, and `contiguous` and `cast`, without which an op in place would
/// write to a parameter.
///
/// Before each repetition the caches are set to the state between two ops of a network: they have
/// the operand that the previous op would have written (both of a product of two tensors, all of
/// attention, the last part of a concatenation, else the first), for a gradient op the gradient of
/// the result, and no other operand.
///
/// data_gradient: with respect to the node's first operand only. weight_gradient: with respect to
/// the second only, for convolutions and matrix products. gradients: for other ops, with respect to
/// all operands (for recurrent layers those of the weights follow from those of the data).
///
/// Throws Unsupported, and exceptions of the framework.
[[nodiscard]] engine::ProbeResult measure_op(const engine::ProbeItem& item,
                                             const graph::Graph& graph, OpBench& bench);

}  // namespace rooflab::torch_worker
