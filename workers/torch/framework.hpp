#pragma once

#include <string>

#include "rooflab/base/precision.hpp"
#include "rooflab/record/environment.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Device by name: `cpu`, `cuda:1`; `cuda` is the first. Throws Unsupported for a name unknown to
/// the framework.
[[nodiscard]] at::Device device_named(const std::string& name);

/// Settings of the framework for a case.
struct FrameworkSettings {
  Precision precision = Precision::fp32;
  int threads = 0;  ///< 0: its default
  bool cudnn_benchmark = false;
  bool deterministic = false;  ///< use algorithms with bitwise reproducible results where available
};

/// Sets the framework's switches; must be called before the device is first used. Throws
/// Unsupported for TF32 on a CPU, and for autocast to fp16 on a CPU where libtorch does not support
/// it.
void configure(const FrameworkSettings& settings, const at::Device& device);

/// Adds the current settings to the environment: threads, TF32, cuDNN's search.
void describe_settings(record::Environment& environment);

}  // namespace rooflab::torch_worker
