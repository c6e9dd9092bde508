#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rooflab/base/arithmetic_path.hpp"

namespace rooflab::record {

/// A figure of one kernel launch. The first group is what a tool can observe: a column of a
/// KernelTable, raw, as the hardware counts. The second follows from it (kernel_work.hpp) and is
/// never stored. A figure is added with a line here and a row in kernel_figure.cpp: sums, tables
/// and JSON have it then.
enum class KernelFigure : std::uint8_t {
  time_s,
  dram_read_bytes,
  dram_write_bytes,
  dram_bytes,  ///< a column where only the sum of both was collected
  // Thread instructions of the CUDA cores with the predicate on. An h* instruction does two lanes.
  dadd,
  dmul,
  dfma,
  fadd,
  fmul,
  ffma,
  hadd,
  hmul,
  hfma,
  fadd2,  ///< packed pairs of fp32 (Blackwell, data centre)
  fmul2,
  ffma2,
  // Math operations of the tensor cores by input type, 2 per multiply-accumulate, dense.
  tensor_fp64,
  tensor_tf32,
  tensor_bf16,
  tensor_fp16,            ///< accumulating in fp32, or not told apart
  tensor_fp16_fp16,       ///< accumulating in fp16
  tensor_fp16_bf16_tf32,  ///< one counter for three types (Turing)
  tensor_fp8,             ///< fp8; fp4, fp6 and fp8 where one counter has all
  tensor_fp4,             ///< fp4, and fp6 where one counter has both
  tensor_int8,
  tensor_int4,
  tensor_int1,
  tensor_pipe_instructions,  ///< warp instructions on the tensor pipe: no measure of work
  l2_bytes,                  ///< all that L2 was asked for, by whomever
  sm_clock_hz,               ///< while the kernel ran
  sm_busy,                   ///< cycles in which a multiprocessor had work, of all: 0 to 1
  occupancy,                 ///< achieved (counters) or estimated (traces), 0 to 1
  blocks_per_sm,             ///< grid size over multiprocessors
  warps_per_sm,
  registers_per_thread,
  shared_memory_bytes,  ///< per block

  // Derived: FLOPs by arithmetic path, moves left out.
  fp64_flops,
  fp32_flops,
  fp16_flops,
  fp16_move_flops,  ///< what hfma that only move constants would be as FLOPs; in no other figure
  tensor_flops,
  flops,            ///< all of the above but moves; known where nothing essential is missing
  collected_flops,  ///< the same, however incomplete
  cuda_core_flops,  ///< the part of it that is not of tensor cores
  // Derived: ratios.
  intensity,  ///< FLOP per DRAM byte
  flops_per_s,
  bytes_per_s,  ///< DRAM
};

/// Figures that a KernelTable has columns for, and all figures.
inline constexpr auto kernel_figure_count = static_cast<std::size_t>(KernelFigure::fp64_flops);
inline constexpr auto all_figure_count = static_cast<std::size_t>(KernelFigure::bytes_per_s) + 1;

/// All figures in their order; those that a table has columns for.
inline constexpr std::array kernel_figures = [] {
  std::array<KernelFigure, all_figure_count> figures{};
  for (std::size_t i = 0; i < figures.size(); ++i) figures[i] = static_cast<KernelFigure>(i);
  return figures;
}();
inline constexpr std::span<const KernelFigure> collected_figures =
    std::span(kernel_figures).first(kernel_figure_count);

/// How the figures of several launches become one.
enum class Fold : std::uint8_t {
  none,  ///< a figure of one launch alone
  sum,
  mean,   ///< weighted by the launches' time
  ratio,  ///< of two sums, over the launches that have both
};

/// Where people see a figure of many launches.
enum class Shown : std::uint8_t {
  never,      ///< in what follows from it
  collected,  ///< where it was collected
  always,     ///< everywhere: where it was not collected, that is said
};

/// What all who add up, show or write a figure must know of it.
struct KernelFigureFacts {
  std::string_view key;  ///< in JSON and CSV: `time_s`, `ffma`, `tensor_tf32`
  Fold fold = Fold::none;
  Shown shown = Shown::never;
  std::string_view title = {};  ///< of its column; empty: in JSON alone
  std::string_view unit = {};   ///< `s`, `B`, `FLOP`, `Hz`; empty: a share or a count
  /// The device's roof that work of this kind is below.
  std::optional<ArithmeticPath> path = {};
  /// A ratio's.
  KernelFigure above = KernelFigure::time_s;
  KernelFigure below = KernelFigure::time_s;

  /// A sum that not every record has, and that has a column where one has it.
  [[nodiscard]] bool is_further_sum() const {
    return fold == Fold::sum && shown == Shown::collected && !title.empty();
  }
};
[[nodiscard]] const KernelFigureFacts& facts_of(KernelFigure figure);

/// The key.
[[nodiscard]] std::string_view name_of(KernelFigure figure);
/// The column of a KernelTable with this key.
[[nodiscard]] std::optional<KernelFigure> kernel_figure_from_name(std::string_view name);

/// Operations of the tensor cores by input type, integers included.
[[nodiscard]] constexpr bool is_tensor_type(KernelFigure figure) {
  return figure >= KernelFigure::tensor_fp64 && figure <= KernelFigure::tensor_int1;
}

}  // namespace rooflab::record
