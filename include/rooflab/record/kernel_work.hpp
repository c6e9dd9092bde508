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

/// FLOPs of a kernel launch by arithmetic path; nullopt: not collected.
///
///     fp64 = dadd + dmul + 2 dfma
///     fp32 = fadd + fmul + 2 ffma + 2 fadd2 + 2 fmul2 + 4 ffma2
///     fp16 = 2 (hadd + hmul + 2 hfma)      two lanes an instruction, the convention of Nsight
///     Compute tensor = the sum of the tensor cores' floating-point operations
///
/// A part of a formula that was not collected makes its path nullopt, but for the packed fp32
/// instructions, which most chips do not have. `tensor` is the sum of the input types that were
/// collected. Source: metric definitions of Nsight Compute's roofline sections and of CUPTI's
/// `sm__ops_path_tensor_*`.
struct KernelWork {
  std::optional<double> fp64;
  std::optional<double> fp32;
  std::optional<double> fp16;
  std::optional<double> tensor;
  /// No hadd and no hmul, only hfma: ptxas writes constants into registers that way, so this is no
  /// arithmetic. `fp16` still holds the count; sums leave it out.
  bool fp16_is_moves = false;

  /// Sum of what was collected, moves left out; nullopt when nothing was.
  [[nodiscard]] std::optional<double> collected() const;
  /// The same, but nullopt where fp32 work, or on a chip with tensor cores tensor work, was not
  /// collected: the rest would pass for the whole.
  [[nodiscard]] std::optional<double> flops(bool tensor_cores) const;
};

[[nodiscard]] KernelWork work_of(const KernelTable& kernels, std::size_t row);

/// Read and written, or their sum where only that was collected.
[[nodiscard]] std::optional<double> dram_bytes(const KernelTable& kernels, std::size_t row);

}  // namespace rooflab::record
