#pragma once

#include <string>

#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/analyze/kernel_summary.hpp"

namespace rooflab::analyze {

/// The layers as points of a roofline: measured FLOPs, DRAM bytes and time. `without_flops` are
/// those that have no place because one of the three is zero or was not collected.
[[nodiscard]] KernelSeries counted_series(const CountedLayers& counted, std::string name);

}  // namespace rooflab::analyze
