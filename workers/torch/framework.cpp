#include "framework.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <cstdlib>

#include "base/format.hpp"
#include "torch_version.hpp"

namespace rooflab::torch_worker {
namespace {

/// A CPU's autocast to fp16, and the kernels of loss scaling, came with 2.3 (pytorch pull requests
/// 109281 and 109994).
constexpr bool casts_to_fp16_on_cpu = ROOFLAB_TORCH_AT_LEAST(2, 3);

}  // namespace

at::Device device_named(const std::string& name) {
  try {
    at::Device device(name);
    if (device.is_cuda() && !device.has_index()) device.set_index(0);
    return device;
  } catch (const c10::Error&) {
    throw Unsupported{format("the device '{}'", name)};
  }
}

void configure(const FrameworkSettings& settings, const at::Device& device) {
  const bool tf32 = settings.precision == Precision::tf32;
  if (tf32 && device.is_cpu()) {
    throw Unsupported{"TF32, a mode of NVIDIA's tensor cores, on a CPU"};
  }
  if (scales_loss(settings.precision) && device.is_cpu() && !casts_to_fp16_on_cpu) {
    throw Unsupported{
        format("autocast to fp16 on a CPU: libtorch {} cannot, 2.3 and later can", TORCH_VERSION)};
  }
  at::Context& context = at::globalContext();
  if (settings.threads > 0) at::set_num_threads(settings.threads);
  context.setBenchmarkCuDNN(settings.cudnn_benchmark && !settings.deterministic);
  context.setAllowTF32CuDNN(tf32);
  context.setAllowTF32CuBLAS(tf32);
  if (!settings.deterministic) return;
  // cuBLAS splits sums over streams unless its workspace has a fixed size.
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  context.setDeterministicCuDNN(true);
  context.setDeterministicAlgorithms(true, true);  // ops without one warn and go on
}

void describe_settings(record::Environment& environment) {
  const at::Context& context = at::globalContext();
  environment.threads = at::get_num_threads();
  environment.tf32_convolution = context.allowTF32CuDNN();
  environment.tf32_matmul = context.allowTF32CuBLAS();
  environment.cudnn_benchmark = context.benchmarkCuDNN();
}

}  // namespace rooflab::torch_worker
