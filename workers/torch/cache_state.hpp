#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <span>

#include "rooflab/base/figure_key.hpp"

namespace rooflab::torch_worker {

/// What a device's last cache holds when an op begins, as in a network: the end of what the op
/// before it wrote, and no weight, shortcut or saved result, which were used thousands of kernels
/// ago. A probe that repeats one op finds all its operands there as long as they fit.
class CacheState {
 public:
  /// `cache` is the size of the device's last cache; with nullopt nothing is done, and an op finds
  /// what its last repetition left.
  CacheState(at::Device device, std::optional<Bytes> cache);

  /// Queues work on the device: twice the cache's size is read, then each of `written` is written
  /// again with the numbers that it holds.
  void prepare(std::span<const at::Tensor> written) const;

 private:
  at::Tensor passing_;      ///< what takes the place of everything else
  mutable at::Tensor sum_;  ///< its sum, for which it is read
};

}  // namespace rooflab::torch_worker
