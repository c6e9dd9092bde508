#include "rooflab/record/kernel_figure.hpp"

#include <algorithm>

namespace rooflab::record {
namespace {

constexpr auto facts = [] {
  using enum Fold;
  using enum Shown;
  using enum KernelFigure;
  using enum ArithmeticPath;
  return std::to_array<KernelFigureFacts>({
      {"time_s", sum, always, "time", "s"},
      {"dram_read_bytes", sum},
      {"dram_write_bytes", sum},
      {"dram_bytes", sum, always, "DRAM", "B"},
      {"dadd", sum},
      {"dmul", sum},
      {"dfma", sum},
      {"fadd", sum},
      {"fmul", sum},
      {"ffma", sum},
      {"hadd", sum},
      {"hmul", sum},
      {"hfma", sum},
      {"fadd2", sum},
      {"fmul2", sum},
      {"ffma2", sum},
      {"tensor_fp64", sum, never, "fp64", "FLOP", fp64_tensor},
      {"tensor_tf32", sum, never, "tf32", "FLOP", tf32_tensor},
      {"tensor_bf16", sum, never, "bf16", "FLOP", bf16_tensor_fp32},
      {"tensor_fp16", sum, never, "fp16", "FLOP", fp16_tensor_fp32},
      {"tensor_fp16_fp16", sum, never, "fp16_fp16", "FLOP", fp16_tensor_fp16},
      {"tensor_fp16_bf16_tf32", sum, never, "fp16_bf16_tf32", "FLOP", fp16_tensor_fp32},
      {"tensor_fp8", sum, never, "fp8", "FLOP", fp8_tensor_fp32},
      {"tensor_fp4", sum, never, "fp4", "FLOP", fp8_tensor_fp32},
      {"tensor_int8", sum},
      {"tensor_int4", sum},
      {"tensor_int1", sum},
      {"tensor_pipe_instructions", sum},
      {"l2_bytes", sum, collected, "L2", "B"},
      {"sm_clock_hz", mean, collected, "clock", "Hz"},
      {"sm_busy", mean, collected, "SM busy"},
      {"occupancy", mean, collected, "occupancy"},
      {"blocks_per_sm"},
      {"warps_per_sm"},
      {"registers_per_thread"},
      {"shared_memory_bytes"},
      {"fp64_flops", sum, always, "FP64", "FLOP", fp64_vector},
      {"fp32_flops", sum, always, "FP32", "FLOP", fp32_vector},
      {"fp16_flops", sum, always, "FP16", "FLOP", fp16_vector},
      {"fp16_move_flops", sum, collected},
      {"tensor_flops", sum, always, "tensor", "FLOP"},
      {"flops", sum, always, "FLOP", "FLOP"},
      {"collected_flops", sum, collected},
      {"cuda_core_flops", sum, never, "CUDA cores", "FLOP"},
      {"intensity", ratio, always, "FLOP/B", "FLOP/B", {}, flops, dram_bytes},
      {"flops_per_s", ratio, collected, "FLOP/s", "FLOP/s", {}, flops, time_s},
      {"bytes_per_s", ratio, collected, "B/s", "B/s", {}, dram_bytes, time_s},
  });
}();
static_assert(facts.size() == all_figure_count);

}  // namespace

const KernelFigureFacts& facts_of(KernelFigure figure) {
  return facts.at(static_cast<std::size_t>(figure));
}

std::string_view name_of(KernelFigure figure) { return facts_of(figure).key; }

std::optional<KernelFigure> kernel_figure_from_name(std::string_view name) {
  const auto* const columns_end = facts.begin() + kernel_figure_count;
  const auto* const found = std::find_if(
      facts.begin(), columns_end, [&](const KernelFigureFacts& each) { return each.key == name; });
  if (found == columns_end) return std::nullopt;
  return static_cast<KernelFigure>(found - facts.begin());
}

}  // namespace rooflab::record
