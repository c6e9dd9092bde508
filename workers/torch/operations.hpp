#pragma once

#include <span>

#include "rooflab/graph/op_facts.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// How ops behave.
struct Mode {
  bool training = false;         ///< batch statistics, dropout
  bool fast_paths = false;       ///< modules that PyTorch runs as one call in evaluation
  at::Device device = at::kCPU;  ///< where data is made from nothing
};

using Operands = std::span<const at::Tensor>;  ///< operands of a node, in its order
using Results = std::vector<at::Tensor>;       ///< likewise

// One ATen call, or the few that PyTorch's own modules make, for each op: one function `run` an op,
// in the file of its family. Throw Unsupported for attributes that ATen cannot take.

/// Convolution, linear, products, attention, normalisation and pooling.
[[nodiscard]] Results run_matrix(const graph::Op& op, Operands in, Mode mode);
/// Elementwise ops.
[[nodiscard]] Results run_pointwise(const graph::Op& op, Operands in, Mode mode);
/// Movement, reductions, scans and selections.
[[nodiscard]] Results run_movement(const graph::Op& op, Operands in, Mode mode);

inline Results as_list(at::Tensor result) { return {std::move(result)}; }
inline Results as_list(Results results) { return results; }

}  // namespace rooflab::torch_worker
