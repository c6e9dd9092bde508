#pragma once

#include "rooflab/device/device.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// Seconds that an op's work takes at rates of a device. 0: no such work.
struct RoofTimes {
  double matrix_s = 0.0;  ///< matrix work on the path of its type
  double memory_s = 0.0;  ///< bytes

  [[nodiscard]] double longest() const { return matrix_s > memory_s ? matrix_s : memory_s; }
};

/// Times at the datasheet's peaks. The FP32 path replaces a path that the device lacks.
[[nodiscard]] RoofTimes datasheet_times(const OpShape& shape, const device::Device& device);

/// Times at sustained rates: peaks at the clock that the power allows (device::sustained_ratio()),
/// and the share of the memory's bandwidth that a plain pass over large tensors reaches. The essay
/// is at the head of achievable_rate.cpp.
[[nodiscard]] RoofTimes achievable_times(const OpShape& shape, const device::Device& device);

/// Share of the datasheet's bandwidth that a plain pass over large tensors reaches.
[[nodiscard]] double memory_share(const device::Device& device);

/// Seconds in which the memory, at the datasheet's bandwidth, moves the bytes that an op must read
/// and write and that exceed the L2 cache; 0: the cache may hold all bytes, or a figure is not
/// known.
[[nodiscard]] double least_memory_time(const OpShape& shape, const device::Device& device);

}  // namespace rooflab::predict
