#pragma once

#include <optional>

#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Autocast to a 16-bit type on a device while it lives, as `torch.autocast` does; the casts of
/// parameters that it caches are dropped at its end. nullopt: everything stays as it is.
class Autocast {
 public:
  Autocast(const at::Device& device, std::optional<DType> type);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::Device device_;
  bool on_;
};

}  // namespace rooflab::torch_worker
