#pragma once

#include "rooflab/device/device.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// Seconds that an op's work takes at rates of a device. 0: it does none of that work.
struct RoofTimes {
  double matrix_s = 0.0;  ///< its matrix work on the path of its type
  double memory_s = 0.0;  ///< its bytes

  [[nodiscard]] double longest() const { return matrix_s > memory_s ? matrix_s : memory_s; }
};

/// At the datasheet's peaks. A path that the device lacks is its FP32 path.
[[nodiscard]] RoofTimes datasheet_times(const OpShape& shape, const device::Device& device);

/// At what the device keeps up: peaks at the clock that its power allows (device/sustained_ratio),
/// and the share of the memory's bandwidth that a plain pass over large tensors reaches. The essay
/// is at the head of achievable_rate.cpp.
[[nodiscard]] RoofTimes achievable_times(const OpShape& shape, const device::Device& device);

/// Share of the datasheet's bandwidth that a plain pass over large tensors reaches.
[[nodiscard]] double memory_share(const device::Device& device);

/// Seconds in which the memory, at the datasheet's bandwidth, moves what an op must read and write
/// and what the L2 cache cannot hold; 0: the cache may hold all, or a figure is unknown.
[[nodiscard]] double least_memory_time(const OpShape& shape, const device::Device& device);

}  // namespace rooflab::predict
