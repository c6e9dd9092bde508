#pragma once

#include <optional>
#include <string_view>

#include "rooflab/device/device.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// Seconds that an op's work takes at rates of a device. 0: it does none of that work.
struct RoofTimes {
  double matrix_s = 0.0;  ///< its matrix work on the path of its type
  double memory_s = 0.0;  ///< its bytes

  [[nodiscard]] double longest() const { return matrix_s > memory_s ? matrix_s : memory_s; }
};

/// Where matrix work of a type runs (`bf16`, `tf32`, `fp32`): its path, or the FP32 path of a
/// device that lacks it. nullopt: the device's file has neither.
[[nodiscard]] std::optional<ArithmeticPath> path_of_type(std::string_view type,
                                                         const device::Device& device);

/// At the datasheet's peaks. A path that the device lacks is its FP32 path.
[[nodiscard]] RoofTimes datasheet_times(const OpShape& shape, const device::Device& device);

/// At what the device keeps up: peaks at the clock that its power allows (device/sustained_ratio),
/// and the share of the memory's bandwidth that a plain pass over large tensors reaches. The essay
/// is at the head of achievable_rate.cpp.
[[nodiscard]] RoofTimes achievable_times(const OpShape& shape, const device::Device& device);

/// Share of the datasheet's bandwidth that a plain pass over large tensors reaches.
[[nodiscard]] double memory_share(const device::Device& device);

}  // namespace rooflab::predict
