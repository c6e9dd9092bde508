#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/describe/figure_key.hpp"

namespace rooflab::record {

/// A figure of one kernel launch. The first group can be observed by a tool: raw columns of a
/// KernelTable. The second group is derived from them (figures_of() in kernel_sums.hpp) and never
/// stored. To add a figure, add a line here, a row of facts below and a word of the vocabulary:
/// sums, tables and JSON then have it.
enum class KernelFigure : std::uint8_t {
  time_s,
  dram_read_bytes,
  dram_write_bytes,
  dram_bytes,  ///< a column if only the sum of reads and writes was collected
  // Thread instructions of the CUDA cores with the predicate on. An h* instruction works on two
  // lanes.
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
  // All thread instructions of a type: arithmetic, comparisons, moves. They do not measure work,
  // but zero instructions mean no work.
  fp64_instructions,
  fp32_instructions,
  fp16_instructions,
  // Math operations of the tensor cores by input type, 2 per multiply-accumulate, dense.
  tensor_fp64,
  tensor_tf32,
  tensor_bf16,
  tensor_fp16,            ///< accumulating in fp32, or accumulator not known
  tensor_fp16_fp16,       ///< accumulating in fp16
  tensor_fp16_bf16_tf32,  ///< one counter for three types (Turing)
  tensor_fp8,             ///< fp8, or fp4, fp6 and fp8 if one counter has all
  tensor_fp4,             ///< fp4, or fp4 and fp6 if one counter has both
  tensor_int8,
  tensor_int4,
  tensor_int1,
  tensor_pipe_instructions,  ///< warp instructions on the tensor pipe; they do not measure work
  tensor_pipe_moves,         ///< tensor pipe instructions without matrix work (HFMA2)
  l2_bytes,                  ///< bytes that all units requested from L2
  pcie_bytes,                ///< read and written over PCIe, including packet headers
  sm_clock_hz,               ///< mean clock while the kernel ran
  sm_busy,                   ///< share of cycles in which a multiprocessor had work, 0 to 1
  occupancy,                 ///< achieved (counters) or estimated (traces), 0 to 1
  blocks_per_sm,             ///< grid size over multiprocessors
  warps_per_sm,
  registers_per_thread,
  shared_memory_bytes,  ///< per block

  // Derived: FLOPs by arithmetic path, without moves.
  fp64_flops,
  fp32_flops,
  fp16_flops,
  fp16_move_flops,  ///< HFMA instructions that only move constants, as FLOPs; in no other figure
  tensor_flops,
  flops,            ///< all of the above except moves; known where nothing essential is missing
  collected_flops,  ///< sum of the collected FLOPs, a lower bound
  collected_fp32_flops,
  cuda_core_flops,  ///< part of collected_flops outside the tensor cores
  // Derived: ratios.
  intensity,  ///< FLOP per DRAM byte
  flops_per_s,
  collected_intensity,  ///< ratio of collected_flops: a lower bound
  collected_flops_per_s,
  bytes_per_s,  ///< bandwidth of DRAM
};

/// Method of combining the figures of several launches.
enum class Fold : std::uint8_t {
  none,  ///< only for a single launch
  sum,
  mean,   ///< weighted by the launches' time
  ratio,  ///< quotient of two sums, over the launches that have both
};

/// Places where people see a figure of many launches.
enum class Shown : std::uint8_t {
  never,      ///< only in figures derived from it
  in_json,    ///< in JSON and sentences, not in tables
  collected,  ///< in tables where it was collected
  always,     ///< in all tables, which mark where it was not collected
};

/// Facts for code that adds up, shows or writes a figure.
struct KernelFigureFacts {
  FigureKey word;  ///< key, title and unit
  Fold fold = Fold::none;
  Shown shown = Shown::never;
  /// Path whose roof limits work of this kind.
  std::optional<ArithmeticPath> path = {};
  /// Numerator of a ratio.
  KernelFigure above = KernelFigure::time_s;
  KernelFigure below = KernelFigure::time_s;
  /// Whether every kernel has more than 0: tools write 0 where they do not know the figure.
  bool never_zero = false;

  /// Whether this is a sum that not every record has; tables show a column where one has it.
  [[nodiscard]] bool is_further_sum() const {
    return fold == Fold::sum && shown == Shown::collected;
  }
};
/// Facts in the order of the figures.
inline constexpr auto kernel_figure_facts = [] {
  using enum Fold;
  using enum Shown;
  using enum KernelFigure;
  using enum ArithmeticPath;
  return std::to_array<KernelFigureFacts>({
      {"time_s", sum, always},
      {"dram_read_bytes", sum},
      {"dram_write_bytes", sum},
      {"dram_bytes", sum, always},
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
      {"fp64_instructions", sum},
      {"fp32_instructions", sum},
      {"fp16_instructions", sum},
      {"tensor_fp64_flop", sum, never, fp64_tensor},
      {"tensor_tf32_flop", sum, never, tf32_tensor},
      {"tensor_bf16_flop", sum, never, bf16_tensor_fp32},
      {"tensor_fp16_flop", sum, never, fp16_tensor_fp32},
      {"tensor_fp16_fp16_flop", sum, never, fp16_tensor_fp16},
      {"tensor_fp16_bf16_tf32_flop", sum, never, fp16_tensor_fp32},
      {"tensor_fp8_flop", sum, never, fp8_tensor_fp32},
      {"tensor_fp4_flop", sum, never, fp8_tensor_fp32},
      {"tensor_int8", sum},
      {"tensor_int4", sum},
      {"tensor_int1", sum},
      {"tensor_pipe_instructions", sum},
      {"tensor_pipe_moves", sum},
      {"l2_bytes", sum, collected},
      {"pcie_bytes", sum, collected},
      {.word = "sm_clock_hz", .fold = mean, .shown = collected, .never_zero = true},
      {"sm_busy_share", mean, collected},
      {.word = "occupancy_share", .fold = mean, .shown = collected, .never_zero = true},
      {.word = "blocks_per_sm", .never_zero = true},
      {.word = "warps_per_sm", .never_zero = true},
      {.word = "registers_per_thread", .never_zero = true},
      {"shared_memory_bytes"},
      {"fp64_flop", sum, always, fp64_vector},
      {"fp32_flop", sum, always, fp32_vector},
      {"fp16_flop", sum, always, fp16_vector},
      {"fp16_move_flop", sum, in_json},
      {"tensor_flop", sum, always},
      {"flop", sum, always},
      {"collected_flop", sum, in_json},
      {"collected_fp32_flop", sum, in_json},
      {"cuda_core_flop", sum, in_json},
      {"intensity_flop_per_byte", ratio, always, {}, flops, dram_bytes},
      {"flop_per_s", ratio, collected, {}, flops, time_s},
      {"collected_intensity_flop_per_byte", ratio, in_json, {}, collected_flops, dram_bytes},
      {"collected_flop_per_s", ratio, in_json, {}, collected_flops, time_s},
      {"dram_bytes_per_s", ratio, collected, {}, dram_bytes, time_s},
  });
}();

[[nodiscard]] constexpr const KernelFigureFacts& facts_of(KernelFigure figure) {
  return kernel_figure_facts.at(static_cast<std::size_t>(figure));
}

constexpr auto names_in_order(For<KernelFigure>) {
  static_assert(kernel_figure_facts.size() ==
                static_cast<std::size_t>(KernelFigure::bytes_per_s) + 1);
  std::array<std::string_view, kernel_figure_facts.size()> keys;
  std::ranges::transform(kernel_figure_facts, keys.begin(),
                         [](const KernelFigureFacts& facts) { return facts.word.key(); });
  return keys;
}

/// Whether the figure is derived from collected ones, and so not a column of a KernelTable.
[[nodiscard]] constexpr bool is_derived(KernelFigure figure) {
  return figure >= KernelFigure::fp64_flops;
}

/// Whether the figure counts tensor-core operations of one input type, including integers.
[[nodiscard]] constexpr bool is_tensor_type(KernelFigure figure) {
  return figure >= KernelFigure::tensor_fp64 && figure <= KernelFigure::tensor_int1;
}

}  // namespace rooflab::record
