#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::record {

/// Operations of the tensor cores that are FLOPs, by input type.
inline constexpr std::array float_tensor_figures = {
    KernelFigure::tensor_fp64, KernelFigure::tensor_tf32,      KernelFigure::tensor_bf16,
    KernelFigure::tensor_fp16, KernelFigure::tensor_fp16_fp16, KernelFigure::tensor_fp16_bf16_tf32,
    KernelFigure::tensor_fp8,  KernelFigure::tensor_fp4};

/// All figures of one launch; nullopt: not collected.
struct LaunchFigures {
  std::array<std::optional<double>, kernel_figure_facts.size()> values = {};

  [[nodiscard]] const std::optional<double>& operator[](KernelFigure figure) const {
    return values[static_cast<std::size_t>(figure)];
  }
  std::optional<double>& operator[](KernelFigure figure) {
    return values[static_cast<std::size_t>(figure)];
  }
};

/// A row of the table with what follows from it:
///
///     dram_bytes      = read + written, or their sum where only that was collected
///     fp64_flops      = dadd + dmul + 2 dfma
///     fp32_flops      = fadd + fmul + 2 ffma + 2 fadd2 + 2 fmul2 + 4 ffma2
///     fp16_flops      = 2 (hadd + hmul + 2 hfma): an instruction does two lanes, as Nsight Compute
///                       has it
///     tensor_flops    = the sum of the tensor cores' floating-point operations, over the input
///                       types that were collected
///     cuda_core_flops = fp64_flops + fp32_flops + fp16_flops, however incomplete
///     collected_flops = cuda_core_flops + tensor_flops, however incomplete
///     flops           = the same, but nullopt where fp32 work, or on a chip with tensor cores
///                       tensor work, was not collected: the rest would pass for the whole
///
/// A part of a formula that was not collected makes its path nullopt, but for the packed fp32
/// instructions, which most chips do not have. Without any hadd and hmul, hfma are the compiler's
/// way to write constants into registers (ptxas), which is not arithmetic: they are
/// `fp16_move_flops`, and `fp16_flops` is 0. Ratios are left to KernelSums. Source: metric
/// definitions of Nsight Compute's roofline sections and of CUPTI's `sm__ops_path_tensor_*`.
[[nodiscard]] LaunchFigures figures_of(const KernelTable& kernels, std::size_t row,
                                       bool tensor_cores = true);

}  // namespace rooflab::record
