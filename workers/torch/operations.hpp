#pragma once

#include <span>

#include "rooflab/graph/op_facts.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Mode of running ops.
struct Mode {
  bool training = false;         ///< batch statistics, dropout
  bool fast_paths = false;       ///< run modules as one call, like PyTorch in evaluation
  at::Device device = at::kCPU;  ///< device for generated data
};

using Operands = std::span<const at::Tensor>;  ///< operands of a node, in its order
using Results = std::vector<at::Tensor>;       ///< results of a node, in its order

// Functions that run ops with one ATen call, or the few of PyTorch's own modules: one function
// `run` per op, in the file of its family. They throw Unsupported for attributes that ATen does not
// support.

/// Runs convolution, linear, products, attention, normalisation and pooling.
[[nodiscard]] Results run_matrix(const graph::Op& op, Operands in, Mode mode);
/// Runs elementwise ops.
[[nodiscard]] Results run_pointwise(const graph::Op& op, Operands in, Mode mode);
/// Runs movement, reductions, scans and selections.
[[nodiscard]] Results run_movement(const graph::Op& op, Operands in, Mode mode);

inline Results as_list(at::Tensor result) { return {std::move(result)}; }
inline Results as_list(Results results) { return results; }

}  // namespace rooflab::torch_worker
