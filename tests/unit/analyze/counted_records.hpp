#pragma once

#include <string>
#include <utility>

#include "rooflab/device/device.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/record/record.hpp"

/// A record with counters made by hand that the tests of analyze and report share.
namespace rooflab::analyze {

/// One of ResNet-18's convolutions and what follows it: 231'211'008 FLOPs and 1'392'640 compulsory
/// bytes; ReLU 100'352 comparisons and 802'816 bytes; a view; max pooling.
inline graph::Graph counted_network() {
  graph::GraphBuilder b("net");
  graph::ValueId x = b.input("input", {1, 128, 28, 28});
  x = b.conv(x, "conv", {.out_channels = 128, .kernel = 3, .padding = 1, .bias = false});
  x = b.unary(x, graph::UnaryFunction::relu, "relu");
  x = b.pool(x, graph::PoolKind::max, "pool", {.kernel = 2, .stride = 2});
  x = b.flatten(x, 1, "flat");
  return std::move(b).finish({x});
}

/// 1 TB/s, 1 TFLOP/s FP32, 10 TFLOP/s TF32, 50 MB of L2, 1 GHz.
inline device::Device counted_device() {
  device::Device device;
  device.id = "toy";
  device.name = "Toy";
  device.bandwidth = device::Figure{.value = 1e12};
  device.memory = device::Figure{.value = 1e12};
  device.l2 = device::Figure{.value = 50e6};
  device.boost_clock = device::Figure{.value = 1e9};
  device.peaks[ArithmeticPath::fp32_vector] = {.value = 1e12};
  device.peaks[ArithmeticPath::tf32_tensor] = {.value = 10e12};
  return device;
}

struct CountedKernel {
  std::string name;
  std::int64_t scope = 0;  ///< external id
  double time_s = 1e-4;
  double ffma = 0.0;  ///< FP32 FLOPs are twice that
  double tensor = 0.0;
  double dram = 0.0;
  double l2 = 0.0;
  record::Extent grid = {1, 1, 1};
};

inline std::size_t add_kernel(record::KernelTable& kernels, const CountedKernel& kernel) {
  using enum record::KernelFigure;
  const std::size_t row = kernels.add({.name = kernels.names.intern(kernel.name),
                                       .process = kernels.processes.intern("worker"),
                                       .launch = static_cast<std::int64_t>(kernels.size()),
                                       .grid = kernel.grid,
                                       .block = {128, 1, 1},
                                       .external_id = kernel.scope});
  kernels.set(time_s, row, kernel.time_s);
  for (const record::KernelFigure none : {dadd, dmul, dfma, fadd, fmul, hadd, hmul, hfma}) {
    kernels.set(none, row, 0.0);
  }
  kernels.set(ffma, row, kernel.ffma);
  kernels.set(tensor_tf32, row, kernel.tensor);
  kernels.set(dram_read_bytes, row, kernel.dram / 2);
  kernels.set(dram_write_bytes, row, kernel.dram / 2);
  kernels.set(l2_bytes, row, kernel.l2);
  kernels.set(sm_clock_hz, row, 0.9e9);
  return row;
}

/// counted_network() in TF32 on counted_device(): scopes 1 conv, 2 relu, 3 pool; no kernels yet.
inline record::Record counted_record() {
  record::Record record;
  record.identity.model = "net";
  record.identity.device = "cuda:0";
  record.identity.precision = Precision::tf32;
  record.identity.command = "rooflab measure net --device cuda:0 --counters";
  record.identity.graph = graph::to_text(counted_network());
  record.environment.date = "2026-01-02T03:04:05Z";
  record.environment.device.kind = "cuda";
  record.environment.device.name = "Toy";
  record.environment.device.compute_capability = "9.0";
  record.timing = record::Timing{};
  record.timing->steps_s = {0.01, 0.01, 0.01, 0.01, 0.01, 0.01};
  record.timing->clock = "device events";
  record.kernels.emplace();
  record::Counting& counting = record.counting.emplace();
  counting.chip = "GH100";
  counting.arming_s = 0.75;
  counting.wall_s = 0.5;
  counting.sets = {
      {{"dram__bytes_read.sum", "dram__bytes_write.sum"}, false, 4, 0.15, 0.1, 1, 0},
      {{"dram__bytes_read.sum", "dram__bytes_write.sum"}, true, 2, 0.3, 0.2, 4, 0},
      {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}, true, 1, 0.3, 0.2, 4, 0}};
  counting.scopes = {
      {"conv", "conv2d", "forward"}, {"relu", "relu", "forward"}, {"pool", "maxpool2d", "forward"}};
  return record;
}

inline constexpr const char* tiled_kernel =
    "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize64x32x64_stage5"
    "_warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_kernel__5x_cudnn";

/// A layout conversion of 4'000'000 bytes, the convolution padded to 245'366'784 FLOPs, a ReLU
/// whose operands stayed in L2, and a kernel that nobody knows.
inline record::Record counted_example() {
  record::Record record = counted_record();
  record::KernelTable& kernels = *record.kernels;
  add_kernel(kernels, {.name = "void engines_precompiled::nchwToNhwcKernel<float>",
                       .scope = 1,
                       .time_s = 1e-5,
                       .ffma = 100'352,
                       .dram = 4'000'000,
                       .l2 = 4'000'000});
  add_kernel(kernels, {.name = tiled_kernel,
                       .scope = 1,
                       .time_s = 9e-5,
                       .ffma = 200'704,
                       .tensor = 245'366'784,
                       .dram = 1'400'000,
                       .l2 = 9'000'000,
                       .grid = {4, 13, 1}});
  add_kernel(kernels,
             {.name = "relu_kernel", .scope = 2, .time_s = 5e-5, .dram = 1024, .l2 = 802'816});
  add_kernel(kernels, {.name = "stray", .scope = 0, .time_s = 5e-5, .ffma = 500, .dram = 2000});
  record::KernelTable& step = record.counting->step.emplace();
  step.add({.name = step.names.intern("(step)"), .process = step.processes.intern("")});
  step.set(record::KernelFigure::tensor_tf32, 0, 245'366'784);
  step.set(record::KernelFigure::tensor_bf16, 0, 0.0);
  step.set(record::KernelFigure::dram_read_bytes, 0, 1'000'000);
  step.set(record::KernelFigure::dram_write_bytes, 0, 500'000);
  record.counting->launches_per_step = 4;
  record.counting->steps_s = {1e-3, 2e-3, 1.5e-3};
  record.counting->peaks = {{"dram__bytes.sum", 1536.0}};
  return record;
}

}  // namespace rooflab::analyze
