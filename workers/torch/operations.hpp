#pragma once

#include <span>

#include "rooflab/graph/op.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// How ops behave.
struct Mode {
  bool training = false;    ///< batch statistics, dropout
  bool fast_paths = false;  ///< modules that PyTorch runs as one call in evaluation
};

using Operands = std::span<const at::Tensor>;  ///< of a node, in its order

// One ATen call, or the few that PyTorch's own modules make, for each op. Results in the node's
// order. Throw Unsupported where an op has no execution.
at::Tensor run(const graph::Conv& op, Operands in, Mode mode);
at::Tensor run(const graph::Linear& op, Operands in, Mode mode);
at::Tensor run(const graph::MatMul& op, Operands in, Mode mode);
at::Tensor run(const graph::Einsum& op, Operands in, Mode mode);
at::Tensor run(const graph::Attention& op, Operands in, Mode mode);
at::Tensor run(const graph::BatchNorm& op, Operands in, Mode mode);
at::Tensor run(const graph::LayerNorm& op, Operands in, Mode mode);
at::Tensor run(const graph::RmsNorm& op, Operands in, Mode mode);
at::Tensor run(const graph::GroupNorm& op, Operands in, Mode mode);
at::Tensor run(const graph::LocalResponseNorm& op, Operands in, Mode mode);
at::Tensor run(const graph::Pool& op, Operands in, Mode mode);
at::Tensor run(const graph::AdaptivePool& op, Operands in, Mode mode);

at::Tensor run(const graph::Unary& op, Operands in, Mode mode);
at::Tensor run(const graph::Binary& op, Operands in, Mode mode);
at::Tensor run(const graph::Where& op, Operands in, Mode mode);
at::Tensor run(const graph::Softmax& op, Operands in, Mode mode);
at::Tensor run(const graph::Cast& op, Operands in, Mode mode);
at::Tensor run(const graph::Dropout& op, Operands in, Mode mode);
at::Tensor run(const graph::StochasticDepth& op, Operands in, Mode mode);

at::Tensor run(const graph::Reduce& op, Operands in, Mode mode);
at::Tensor run(const graph::CumulativeSum& op, Operands in, Mode mode);
std::vector<at::Tensor> run(const graph::TopK& op, Operands in, Mode mode);
at::Tensor run(const graph::Reshape& op, Operands in, Mode mode);
at::Tensor run(const graph::Transpose& op, Operands in, Mode mode);
at::Tensor run(const graph::Expand& op, Operands in, Mode mode);
at::Tensor run(const graph::Slice& op, Operands in, Mode mode);
std::vector<at::Tensor> run(const graph::Split& op, Operands in, Mode mode);
at::Tensor run(const graph::Concat& op, Operands in, Mode mode);
at::Tensor run(const graph::Pad& op, Operands in, Mode mode);
at::Tensor run(const graph::Gather& op, Operands in, Mode mode);
at::Tensor run(const graph::GatherElements& op, Operands in, Mode mode);
at::Tensor run(const graph::Scatter& op, Operands in, Mode mode);
at::Tensor run(const graph::Resize& op, Operands in, Mode mode);
at::Tensor run(const graph::Contiguous& op, Operands in, Mode mode);
at::Tensor run(const graph::Roll& op, Operands in, Mode mode);
at::Tensor run(const graph::Triangle& op, Operands in, Mode mode);

/// `generate` makes data from nothing: it needs the device.
at::Tensor run(const graph::Generate& op, const at::Device& device);

}  // namespace rooflab::torch_worker
