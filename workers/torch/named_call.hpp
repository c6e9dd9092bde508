#pragma once

#include "engine/probe.hpp"
#include "op_bench.hpp"

namespace rooflab::torch_worker {

/// Measures the device time of a function of the framework that no op of a graph stands for: a
/// copy, zeros, a sort, products of groups of rows, products in FP8.
///
/// Throws Unsupported for a kind that is not known here or that this version of the framework
/// lacks, and what the framework throws.
[[nodiscard]] engine::ProbeResult measure_call(const engine::ProbeItem& item, OpBench& bench);

}  // namespace rooflab::torch_worker
