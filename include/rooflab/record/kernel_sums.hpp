#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::record {

/// One figure of several launches.
struct FoldedFigure {
  long double sum = 0.0L;     ///< for a mean values times weights, for a ratio the numerators
  long double weight = 0.0L;  ///< for a mean weights, for a ratio the denominators
  double last = 0.0;          ///< value of the last launch that has the figure
  std::size_t count = 0;      ///< launches that have it
};

/// Combined figures of launches: of a whole record, a kernel's name, a node of a network, a step,
/// or one launch. If some launch lacks a figure, the figure either covers the launches that have
/// it, or is not known at all: `whole_only` decides. A figure that was not collected is never zero.
///
///     const KernelSums sums = sums_of(kernels, may_have_tensor_cores("9.0"));
///     const std::optional<double> bytes = sums.at(KernelFigure::dram_bytes);
struct KernelSums {
  bool tensor_cores = true;  ///< the chip may have them: FLOPs need their work to be complete
  bool whole_only = false;   ///< a figure that one launch lacks is not known

  std::size_t launches = 0;
  std::optional<double> shortest_s = {};  ///< nullopt: no launch has a time
  std::optional<double> longest_s = {};
  std::array<FoldedFigure, kernel_figure_facts.size()> figures = {};

  void add(const KernelTable& kernels, std::size_t row);
  /// Takes the sums that no launch here has from a whole step whose kernels were not counted
  /// individually.
  void stand_in(const KernelSums& step);

  /// The combined figure; nullopt: not known.
  [[nodiscard]] std::optional<double> at(KernelFigure figure) const {
    return whole_only && !has_all(figure) ? std::nullopt : known(figure);
  }
  /// The combined figure over the launches that have it, regardless of `whole_only`; nullopt: none
  /// has it.
  [[nodiscard]] std::optional<double> known(KernelFigure figure) const;
  /// FLOPs on this path, over the launches that have them; nullopt: none has them.
  [[nodiscard]] std::optional<double> known(ArithmeticPath path) const;
  /// Tensor-core operations by the input types that were collected, including integers.
  [[nodiscard]] std::map<KernelFigure, double> tensor_by_type() const;

  /// Number of launches that have the figure.
  [[nodiscard]] std::size_t count(KernelFigure figure) const {
    return figures[static_cast<std::size_t>(figure)].count;
  }
  [[nodiscard]] bool has_all(KernelFigure figure) const { return count(figure) == launches; }
  /// Keys of the usual figures that no launch has.
  [[nodiscard]] std::vector<std::string> not_collected() const;
  /// Whether `collected_flops` is only a lower bound, because some launch may have done more.
  [[nodiscard]] bool flop_is_bound() const;
  /// Keys of the parts of all FLOPs (`flop_parts`) that some launch has no counter for.
  [[nodiscard]] std::vector<std::string> flop_lacks() const;
  /// Share of the launches that have a figure, by key.
  [[nodiscard]] std::map<std::string, double> coverage() const;
};

/// Sums over all launches of a table.
[[nodiscard]] KernelSums sums_of(const KernelTable& kernels, bool tensor_cores);

/// Floating-point operations of the tensor cores, by input type.
inline constexpr std::array float_tensor_figures = {
    KernelFigure::tensor_fp64, KernelFigure::tensor_tf32,      KernelFigure::tensor_bf16,
    KernelFigure::tensor_fp16, KernelFigure::tensor_fp16_fp16, KernelFigure::tensor_fp16_bf16_tf32,
    KernelFigure::tensor_fp8,  KernelFigure::tensor_fp4};

/// Figure for the collected part of a figure, a lower bound where the whole is not known; nullopt:
/// it has no such part.
[[nodiscard]] constexpr std::optional<KernelFigure> collected_part_of(KernelFigure figure) {
  switch (figure) {
    case KernelFigure::fp32_flops:
      return KernelFigure::collected_fp32_flops;
    case KernelFigure::flops:
      return KernelFigure::collected_flops;
    case KernelFigure::intensity:
      return KernelFigure::collected_intensity;
    case KernelFigure::flops_per_s:
      return KernelFigure::collected_flops_per_s;
    default:
      return std::nullopt;
  }
}

/// The parts of all FLOPs, by arithmetic.
inline constexpr std::array flop_parts = {KernelFigure::tensor_flops, KernelFigure::fp64_flops,
                                          KernelFigure::fp32_flops, KernelFigure::fp16_flops};

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

/// A row of the table with its derived figures:
///
///     dram_bytes      = read + written, or their sum where only that was collected
///     fp64_flops      = dadd + dmul + 2 dfma
///     fp32_flops      = fadd + fmul + 2 ffma + 2 fadd2 + 2 fmul2 + 4 ffma2
///     fp16_flops      = 2 (hadd + hmul + 2 hfma): an instruction does two lanes, as Nsight Compute
///                       has it
///     tensor_flops    = the sum of the tensor cores' floating-point operations, over the input
///                       types that were collected
///     cuda_core_flops = fp64_flops + fp32_flops + fp16_flops, however incomplete
///     collected_flops = cuda_core_flops + tensor_flops, however incomplete: a lower bound
///     flops           = the same, but nullopt where fp32 work, or on a chip with tensor cores
///                       tensor work, was not collected: the rest would pass for the whole
///
/// Incomplete sums have the instructions that were collected: fmul and ffma where fadd is missing.
/// They include fp16 only if hadd or hmul is above zero, because hfma alone may be moves.
///
/// fpXX_instructions count every instruction of a type, comparisons and moves too (nvprof called
/// them inst_fp_16, ...), so they do not give FLOPs. Zero instructions mean that the type has no
/// FLOPs; if there are some and the additions, multiplications and FMAs were not collected, `flops`
/// is not known.
///
/// A missing part of a formula makes its path nullopt, except for the packed fp32 instructions,
/// which most chips do not have. Without any hadd and hmul, hfma instructions only write constants
/// into registers (ptxas), which is not arithmetic: they are `fp16_move_flops`, and `fp16_flops` is
/// 0. KernelSums computes the ratios. Source: metric definitions of Nsight Compute's roofline
/// sections and of CUPTI's `sm__ops_path_tensor_*`.
[[nodiscard]] LaunchFigures figures_of(const KernelTable& kernels, std::size_t row,
                                       bool tensor_cores = true);

}  // namespace rooflab::record
