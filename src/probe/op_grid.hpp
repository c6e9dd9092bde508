#pragma once

#include <vector>

#include "engine/worker_probe.hpp"

/// The single ops that a probe measures on a device so that others can be predicted; the results
/// become a calibration.
namespace rooflab::probe {

struct GridOptions {
  bool quick = false;          ///< measure a tenth of the shapes
  bool tf32 = true;            ///< the device has TF32 units
  bool half = true;            ///< the device has units for bf16
  double memory_bytes = 16e9;  ///< limit of an op's operands, results and gradients together
  double flops_per_s = 50e12;  ///< rate of fp32: used to keep single ops short
  int image_batch = 256;       ///< largest batch
};

/// Single ops over grids of shapes that are typical of networks, without the list of any specific
/// network: channel counts double as extents halve, and most kernels are 3x3 or 1x1. Any first part
/// of the list covers every kind of op, so a probe may stop anywhere. The list never changes for
/// given options.
[[nodiscard]] std::vector<engine::ProbeItem> op_grid(const GridOptions& options);

}  // namespace rooflab::probe
