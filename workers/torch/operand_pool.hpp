#pragma once

#include <map>
#include <utility>
#include <vector>

#include "rooflab/graph/graph.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// How the values of one graph are made.
struct OperandOptions {
  bool channels_last = false;  ///< those of rank 4 but buffers
  bool gradients = false;      ///< floating parameters require them
};

/// Random operands that cost nothing to make: slices of one buffer per element type, which is
/// filled once and serves every graph in turn. Slices of one graph never overlap, so no op finds
/// one operand in the cache because it has read another.
///
///     pool.rewind();
///     const std::vector<at::Tensor> values = pool.values(graph, {.channels_last = true});
class OperandPool {
 public:
  /// A GPU fills 256 MB of floats in a millisecond; a CPU takes half a second for it.
  explicit OperandPool(at::Device device)
      : OperandPool(device, device.is_cuda() ? std::int64_t{1} << 26U : smallest) {}
  /// `least`: floats of a buffer.
  OperandPool(at::Device device, std::int64_t least) : device_(device), least_(least) {}

  /// The buffers serve the next graph; what was taken from them before must be gone.
  void rewind();
  /// Gives the buffers up.
  void clear() { buffers_.clear(); }

  /// Values in the order of ValueId, for all but results. Floats are normal random numbers; vectors
  /// that are an op's second or later operand (biases, scales, running statistics) are uniform in
  /// [0.5, 1.5): a variance must not be negative. Integers are random
  /// indices of what they index along an axis, else zeros. Throws Unsupported for a type
  /// ATen lacks.
  [[nodiscard]] std::vector<at::Tensor> values(const graph::Graph& graph, OperandOptions options);

  /// Normal random numbers with the extents, strides and type of `tensor`, a floating one.
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
  std::map<std::pair<at::ScalarType, bool>, Buffer> buffers_;  ///< keys: type, and whether positive
};

}  // namespace rooflab::torch_worker
