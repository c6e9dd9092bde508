#pragma once

#include <cstddef>
#include <vector>

namespace rooflab::probe_worker {

enum class VectorType { fp32, fp64, fp16 };  ///< fp16: two values an instruction

/// A kernel that does nothing but multiply-adds on values in registers.
struct ArithmeticKernel {
  int block = 0;
  int chains = 0;                 ///< independent multiply-adds of a thread
  double operations_a_round = 0;  ///< FLOPs of one thread in one round
  int (*resident_blocks)() = nullptr;
  /// `out` takes 8 bytes of every thread.
  void (*launch)(void* out, int blocks, int rounds) = nullptr;
};

[[nodiscard]] const std::vector<ArithmeticKernel>& arithmetic_kernels(VectorType type);

}  // namespace rooflab::probe_worker
