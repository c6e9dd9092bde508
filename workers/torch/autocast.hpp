#pragma once

#include <optional>

#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Enables autocast to a 16-bit type on a device while it lives, like `torch.autocast`; its
/// destructor drops cached casts of parameters. nullopt: no change.
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
