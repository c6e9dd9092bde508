#pragma once

#include <string>

#include "rooflab/base/precision.hpp"
#include "rooflab/record/environment.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// `cpu`, `cuda:1`; `cuda` is the first. Throws Unsupported for what the framework does not know.
[[nodiscard]] at::Device device_named(const std::string& name);

/// How the framework runs a case.
struct FrameworkSettings {
  Precision precision = Precision::fp32;
  int threads = 0;  ///< 0: its default
  bool cudnn_benchmark = false;
  bool deterministic = false;  ///< algorithms that give the same bits every time, where it has any
};

/// Sets its switches, before the device is first used. Throws Unsupported for TF32 on a CPU, and
/// for autocast to fp16 there where libtorch cannot do it.
void configure(const FrameworkSettings& settings, const at::Device& device);

/// What is set: threads, TF32, cuDNN's search.
void describe_settings(record::Environment& environment);

}  // namespace rooflab::torch_worker
