#pragma once

#include <map>
#include <utility>
#include <vector>

#include "rooflab/graph/graph.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Options for making the values of one graph.
struct OperandOptions {
  bool channels_last = false;  ///< for values of rank 4 except buffers
  bool gradients = false;      ///< floating parameters require gradients
};

/// Random operands at no cost: slices of one buffer per element type, which is filled once and used
/// for every graph in turn. Slices of one graph never overlap, so that reading one operand does not
/// bring another into the cache.
///
///     pool.rewind();
///     const std::vector<at::Tensor> values = pool.values(graph, {.channels_last = true});
class OperandPool {
 public:
  /// A GPU fills 256 MB of floats in a millisecond; a CPU takes half a second for it.
  explicit OperandPool(at::Device device)
      : OperandPool(device, device.is_cuda() ? std::int64_t{1} << 26U : smallest) {}
  /// `least`: smallest number of floats in a buffer.
  OperandPool(at::Device device, std::int64_t least) : device_(device), least_(least) {}

  /// Makes the buffers available for the next graph; earlier slices must not be used any more.
  void rewind();
  /// Frees the buffers.
  void clear() { buffers_.clear(); }

  /// Values in the order of ValueId, for all except results. Floats are normal random numbers;
  /// vectors that are an op's second or later operand (biases, scales, running statistics) are
  /// uniform in [0.5, 1.5): a variance must not be negative. Integers are random valid indices if
  /// they index an axis, else zeros. Throws Unsupported for a type that ATen lacks.
  [[nodiscard]] std::vector<at::Tensor> values(const graph::Graph& graph, OperandOptions options);

  /// Normal random numbers with the extents, strides and floating type of `tensor`.
  [[nodiscard]] at::Tensor like(const at::Tensor& tensor);

 private:
  struct Buffer {
    at::Tensor numbers;  ///< rank 1
    std::int64_t used = 0;
  };
  at::Tensor take(at::ScalarType type, bool positive, std::int64_t elements);

  static constexpr std::int64_t smallest = 1 << 12;

  at::Device device_;
  std::int64_t least_;
  std::map<std::pair<at::ScalarType, bool>, Buffer> buffers_;  ///< keys: type, whether positive
};

}  // namespace rooflab::torch_worker
