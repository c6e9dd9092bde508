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
  long double sum = 0.0L;     ///< for a mean values times weights, for a ratio what is above
  long double weight = 0.0L;  ///< for a mean weights, for a ratio what is below
  double last = 0.0;          ///< value of the last launch that has the figure
  std::size_t count = 0;      ///< launches that have it
};

/// Figures of launches, folded: of a whole record, of a kernel's name, of a node of a network, of a
/// step, of one launch. What some launch lacks is either of those that have it, with its coverage,
/// or not known at all: `whole_only` decides. Not collected is never zero.
///
///     const KernelSums sums = sums_of(kernels, may_have_tensor_cores("9.0"));
///     const std::optional<double> bytes = sums.at(KernelFigure::dram_bytes);
struct KernelSums {
  bool tensor_cores = true;  ///< the chip may have them: FLOPs without theirs are not the whole
  bool whole_only = false;   ///< what one launch lacks is not known

  std::size_t launches = 0;
  std::optional<double> shortest_s;  ///< nullopt: no launch has a time
  std::optional<double> longest_s;
  std::array<FoldedFigure, kernel_figure_facts.size()> figures = {};

  void add(const KernelTable& kernels, std::size_t row);
  /// Takes from a whole step the sums that no launch here has: its kernels were not counted by
  /// themselves.
  void stand_in(const KernelSums& step);

  /// Folded as its facts say; nullopt: not known.
  [[nodiscard]] std::optional<double> at(KernelFigure figure) const {
    return whole_only && !has_all(figure) ? std::nullopt : known(figure);
  }
  /// The same of the launches that have it, whatever `whole_only` says.
  [[nodiscard]] std::optional<double> known(KernelFigure figure) const;
  /// FLOPs that belong below this roof, of the launches that have them.
  [[nodiscard]] std::optional<double> known(ArithmeticPath path) const;
  /// The types that were collected, integers included.
  [[nodiscard]] std::map<KernelFigure, double> tensor_by_type() const;

  /// Launches that have it.
  [[nodiscard]] std::size_t count(KernelFigure figure) const {
    return figures[static_cast<std::size_t>(figure)].count;
  }
  [[nodiscard]] bool has_all(KernelFigure figure) const { return count(figure) == launches; }
  /// Keys of the figures that everybody wants and no launch has.
  [[nodiscard]] std::vector<std::string> not_collected() const;
  /// Some launch may have done more than `collected_flops`: that is a lower bound.
  [[nodiscard]] bool flop_is_bound() const;
  /// Keys of the parts of all FLOPs (`flop_parts`) that some launch has no counter for.
  [[nodiscard]] std::vector<std::string> flop_lacks() const;
  /// Launches that have a figure over all of them, by key: what was collected.
  [[nodiscard]] std::map<std::string, double> coverage() const;
};

/// Sums over all launches of a table.
[[nodiscard]] KernelSums sums_of(const KernelTable& kernels, bool tensor_cores);

/// Operations of the tensor cores that are FLOPs, by input type.
inline constexpr std::array float_tensor_figures = {
    KernelFigure::tensor_fp64, KernelFigure::tensor_tf32,      KernelFigure::tensor_bf16,
    KernelFigure::tensor_fp16, KernelFigure::tensor_fp16_fp16, KernelFigure::tensor_fp16_bf16_tf32,
    KernelFigure::tensor_fp8,  KernelFigure::tensor_fp4};

/// What was collected of a figure, its lower bound where it is not known; nullopt: the figure has
/// no such part.
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

/// What all FLOPs are made of, by arithmetic.
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
///     collected_flops = cuda_core_flops + tensor_flops, however incomplete: a lower bound
///     flops           = the same, but nullopt where fp32 work, or on a chip with tensor cores
///                       tensor work, was not collected: the rest would pass for the whole
///
/// Incomplete sums have the instructions that were collected: fmul and ffma where fadd is missing.
/// Of fp16 they have nothing unless hadd or hmul is above zero, for hfma alone may be moves.
///
/// fpXX_instructions count every instruction of a type, comparisons and moves too (nvprof called
/// them inst_fp_16, ...), so they say no FLOPs. None of them means that the type has no FLOPs; some
/// of them, where its additions, multiplications and FMAs were not collected, leave `flops`
/// unknown.
///
/// A part of a formula that was not collected makes its path nullopt, but for the packed fp32
/// instructions, which most chips do not have. Without any hadd and hmul, hfma are the compiler's
/// way to write constants into registers (ptxas), which is not arithmetic: they are
/// `fp16_move_flops`, and `fp16_flops` is 0. Ratios are left to KernelSums. Source: metric
/// definitions of Nsight Compute's roofline sections and of CUPTI's `sm__ops_path_tensor_*`.
[[nodiscard]] LaunchFigures figures_of(const KernelTable& kernels, std::size_t row,
                                       bool tensor_cores = true);

}  // namespace rooflab::record
