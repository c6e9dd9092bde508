#pragma once

#include "engine/probe.hpp"
#include "op_bench.hpp"

namespace rooflab::torch_worker {

/// What the host takes to issue the nodes of `graph`, which must be so small that the device is
/// never behind: forward_s a node until the last one is issued, issue_s all of them, and with
/// gradients gradients_s a node until the device is done with the backward pass of the first
/// output. Medians of 7 runs by the host's clock, the device idle before each.
///
/// Throws Unsupported, and what the framework throws.
[[nodiscard]] engine::ProbeResult measure_chain(const engine::ProbeItem& item,
                                                const graph::Graph& graph, OpBench& bench);

/// A step of the item's optimizer over the parameters of `graph`: device time, with nothing of them
/// in the caches, and the host's time to issue it. Throws as measure_chain().
[[nodiscard]] engine::ProbeResult measure_optimizer(const engine::ProbeItem& item,
                                                    const graph::Graph& graph, OpBench& bench);

}  // namespace rooflab::torch_worker
