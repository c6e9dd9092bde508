#pragma once

#include "engine/worker_probe.hpp"
#include "op_bench.hpp"

namespace rooflab::torch_worker {

/// Measures the device time of a framework's function that is not an op of graphs: a copy, zeros, a
/// sort, products of groups of rows, products in FP8.
///
/// Throws Unsupported for an unknown kind, or one that this version of the framework lacks, and
/// exceptions of the framework.
[[nodiscard]] engine::ProbeResult measure_call(const engine::ProbeItem& item, OpBench& bench);

}  // namespace rooflab::torch_worker
