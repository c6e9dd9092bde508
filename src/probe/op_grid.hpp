#pragma once

#include <vector>

#include "engine/probe.hpp"

/// The single ops that a probe measures on a device so that others can be predicted; the results
/// become a calibration.
namespace rooflab::probe {

struct GridOptions {
  bool quick = false;          ///< a tenth of the shapes
  bool tf32 = true;            ///< the device has TF32 units
  bool half = true;            ///< bf16 too
  double memory_bytes = 16e9;  ///< an op's operands, results and gradients together stay below
  double flops_per_s = 50e12;  ///< rate of fp32: keeps single ops short
  int image_batch = 256;       ///< largest batch
};

/// Single ops over grids of shapes as networks use them, without any network's own list: channel
/// counts double as extents halve, 3x3 and 1x1 are most. The order is such that any first part of
/// the list covers every kind of op: a probe may stop anywhere. Always the same list.
[[nodiscard]] std::vector<engine::ProbeItem> op_grid(const GridOptions& options);

}  // namespace rooflab::probe
