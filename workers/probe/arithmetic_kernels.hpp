#pragma once

#include <cstddef>
#include <vector>

namespace rooflab::probe_worker {

enum class VectorType { fp32, fp64, fp16 };  ///< fp16: two values per instruction

/// A kernel that only does multiply-adds on values in registers.
struct ArithmeticKernel {
  int block = 0;
  int chains = 0;                 ///< independent multiply-adds per thread
  double operations_a_round = 0;  ///< FLOPs of one thread in one round
  int (*resident_blocks)() = nullptr;
  /// Launches the kernel. `out` needs 8 bytes per thread.
  void (*launch)(void* out, int blocks, int rounds) = nullptr;
};

[[nodiscard]] const std::vector<ArithmeticKernel>& arithmetic_kernels(VectorType type);

}  // namespace rooflab::probe_worker
