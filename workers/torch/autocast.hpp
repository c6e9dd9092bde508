#pragma once

#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Autocast to bf16 on a device while it lives, as `torch.autocast` does; the casts of parameters
/// that it caches are dropped at its end.
class Autocast {
 public:
  Autocast(const at::Device& device, bool on);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::Device device_;
  bool on_;
};

}  // namespace rooflab::torch_worker
