#pragma once

#include <array>
#include <cstdint>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::record {

/// A figure that a tool can observe of one kernel launch. Counters are raw, as the hardware counts
/// them; FLOPs are derived from them by kernel_work.hpp.
enum class KernelFigure : std::uint8_t {
  time_s,
  dram_read_bytes,
  dram_write_bytes,
  dram_bytes,  ///< where only the sum of both was collected
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
};
/// Keys in JSON.
constexpr auto names_in_order(For<KernelFigure>) {
  return names_through<KernelFigure::shared_memory_bytes>(
      "time_s", "dram_read_bytes", "dram_write_bytes", "dram_bytes", "dadd", "dmul", "dfma", "fadd",
      "fmul", "ffma", "hadd", "hmul", "hfma", "fadd2", "fmul2", "ffma2", "tensor_fp64",
      "tensor_tf32", "tensor_bf16", "tensor_fp16", "tensor_fp16_fp16", "tensor_fp16_bf16_tf32",
      "tensor_fp8", "tensor_fp4", "tensor_int8", "tensor_int4", "tensor_int1",
      "tensor_pipe_instructions", "l2_bytes", "sm_clock_hz", "sm_busy", "occupancy",
      "blocks_per_sm", "warps_per_sm", "registers_per_thread", "shared_memory_bytes");
}

}  // namespace rooflab::record
