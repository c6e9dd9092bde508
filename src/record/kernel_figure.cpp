#include "rooflab/record/kernel_figure.hpp"

#include <algorithm>

namespace rooflab::record {
namespace {

constexpr std::array<std::string_view, kernel_figure_count> figure_names = {
    "time_s",
    "dram_read_bytes",
    "dram_write_bytes",
    "dram_bytes",
    "dadd",
    "dmul",
    "dfma",
    "fadd",
    "fmul",
    "ffma",
    "hadd",
    "hmul",
    "hfma",
    "fadd2",
    "fmul2",
    "ffma2",
    "tensor_fp64",
    "tensor_tf32",
    "tensor_bf16",
    "tensor_fp16",
    "tensor_fp16_fp16",
    "tensor_fp16_bf16_tf32",
    "tensor_fp8",
    "tensor_fp4",
    "tensor_int8",
    "tensor_int4",
    "tensor_int1",
    "tensor_pipe_instructions",
    "l2_bytes",
    "sm_clock_hz",
    "sm_busy",
    "occupancy",
    "blocks_per_sm",
    "warps_per_sm",
    "registers_per_thread",
    "shared_memory_bytes",
};
static_assert(!figure_names.back().empty());

}  // namespace

std::string_view name_of(KernelFigure figure) {
  return figure_names.at(static_cast<std::size_t>(figure));
}

std::optional<KernelFigure> kernel_figure_from_name(std::string_view name) {
  const auto* const found = std::ranges::find(figure_names, name);
  if (found == figure_names.end()) return std::nullopt;
  return static_cast<KernelFigure>(found - figure_names.begin());
}

}  // namespace rooflab::record
