#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <span>

#include "rooflab/base/quantity.hpp"

namespace rooflab::torch_worker {

/// Prepares a device's last cache for an op as in a network: it has the end of the previous op's
/// result, but no weight, shortcut or saved result, which were used thousands of kernels before.
/// Without this, a probe that repeats one op finds all its operands in the cache if they fit.
class CacheState {
 public:
  /// `cache`: size of the device's last cache; nullopt: do nothing, so that an op finds the cache
  /// as its last repetition left it.
  CacheState(at::Device device, std::optional<Bytes> cache);

  /// Queues work on the device that reads twice the cache's size, then rewrites each of `written`
  /// with its own numbers.
  void prepare(std::span<const at::Tensor> written) const;

 private:
  at::Tensor passing_;      ///< data that replace everything else in the cache
  mutable at::Tensor sum_;  ///< sum of passing_, for which it is read
};

}  // namespace rooflab::torch_worker
