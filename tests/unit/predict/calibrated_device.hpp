#pragma once

#include "rooflab/device/device.hpp"

namespace rooflab::predict {

/// 100 multiprocessors of 64 lanes, 1 TB/s, 10 TFLOP/s on FP32 lanes, 80 of TF32, 160 of BF16 and
/// FP16; times `scale`.
inline device::Device calibrated_device(std::string id, double scale = 1.0,
                                        double multiprocessors = 100.0) {
  device::Device device;
  device.id = id;
  device.name = std::move(id);
  device.vendor = "NVIDIA";
  device.architecture = "Toy";
  device.compute_capability = device::Fact{.value = "8.0"};
  device.sm_count = device::Figure{.value = multiprocessors};
  device.fp32_lanes_per_sm = device::Figure{.value = 64.0};
  device.bandwidth = device::Figure{.value = scale * 1e12};
  device.peaks[ArithmeticPath::fp32_vector] = {.value = scale * 10e12};
  device.peaks[ArithmeticPath::tf32_tensor] = {.value = scale * 80e12};
  device.peaks[ArithmeticPath::bf16_tensor_fp32] = {.value = scale * 160e12};
  device.peaks[ArithmeticPath::fp16_tensor_fp32] = {.value = scale * 160e12};
  return device;
}

}  // namespace rooflab::predict
