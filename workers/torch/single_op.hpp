#pragma once

#include "device_backend.hpp"
#include "engine/probe.hpp"
#include "operand_pool.hpp"

namespace rooflab::torch_worker {

/// Measures the last node of `graph`: its device time and memory and, if gradients are asked for,
/// those of its gradients. The nodes before it only prepare its operands and are run once,
/// outside of what is timed: views, which make strided ones, `contiguous` and `cast`, without which
/// an op in place would write to a parameter. `mark_s` is time_between_marks().
///
/// data_gradient: with respect to the node's first operand alone. weight_gradient: to the second
/// alone, of convolutions and matrix products. gradients: of the other ops, to all their operands.
///
/// Throws Unsupported, and what the framework throws.
[[nodiscard]] engine::ProbeResult measure_op(const engine::ProbeItem& item,
                                             const graph::Graph& graph, DeviceBackend& backend,
                                             OperandPool& pool, double mark_s);

}  // namespace rooflab::torch_worker
