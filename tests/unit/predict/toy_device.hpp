#pragma once

#include "rooflab/device/device.hpp"

namespace rooflab::predict {

/// 100 B/s, 1000 FLOP/s on FP32 lanes: figures small enough to work times out in the head.
inline device::Device toy_device() {
  device::Device device;
  device.id = "toy";
  device.name = "Toy";
  device.bandwidth = device::Figure{.value = 100.0};
  device.memory = device::Figure{.value = 1e9};
  device.peaks[ArithmeticPath::fp32_vector] = {.value = 1000.0};
  device.peaks[ArithmeticPath::fp64_vector] = {.value = 500.0};
  return device;
}

/// With tensor cores: TF32 4000, FP16 and BF16 8000 FLOP/s.
inline device::Device toy_tensor_device() {
  device::Device device = toy_device();
  device.peaks[ArithmeticPath::tf32_tensor] = {.value = 4000.0};
  device.peaks[ArithmeticPath::fp16_tensor_fp32] = {.value = 8000.0};
  device.peaks[ArithmeticPath::bf16_tensor_fp32] = {.value = 8000.0};
  device.peaks[ArithmeticPath::fp16_vector] = {.value = 2000.0};
  return device;
}

}  // namespace rooflab::predict
