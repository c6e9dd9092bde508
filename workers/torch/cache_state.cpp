#include "cache_state.hpp"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

namespace rooflab::torch_worker {

CacheState::CacheState(at::Device device, std::optional<Bytes> cache) {
  if (!cache) return;
  // Half of what passes through is read and half is written, as by the ops of a network.
  const auto options = at::TensorOptions().dtype(at::kByte).device(device);
  from_ = at::zeros({2 * cache->value()}, options);
  to_ = at::zeros({2 * cache->value()}, options);
}

void CacheState::prepare(std::span<const at::Tensor> written) const {
  if (!from_.defined()) return;
  const c10::NoGradGuard no_grad;
  to_.copy_(from_);
  for (const at::Tensor& operand : written) {
    // An own version counter: what autograd keeps of the operand stays valid.
    if (operand.is_floating_point()) operand.variable_data().mul_(1.0);
  }
}

}  // namespace rooflab::torch_worker
