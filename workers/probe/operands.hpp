#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device_probe.hpp"

namespace rooflab::probe_worker {

/// Two arrays of floats in [0, 1) and their sums, as the CPU's loop adds them.
struct Operands {
  explicit Operands(std::int64_t elements);

  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> sums;
};

/// Holds the operands of one size at a time: the largest take 1.2 GB.
class OperandStore {
 public:
  /// The operands of a size, valid until the next call with another size.
  [[nodiscard]] const Operands& of(std::int64_t elements);

 private:
  std::vector<Operands> kept_;
};

/// Sizes of the vector addition.
[[nodiscard]] std::vector<std::int64_t> vector_addition_sizes(bool quick);

/// Step that measures the `cpu` row of a size. The arguments must outlive it.
[[nodiscard]] Step cpu_addition(std::int64_t elements, OperandStore& operands, Results& results);

}  // namespace rooflab::probe_worker
