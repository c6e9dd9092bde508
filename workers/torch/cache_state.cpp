#include "cache_state.hpp"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

namespace rooflab::torch_worker {

CacheState::CacheState(at::Device device, std::optional<Bytes> cache) {
  if (!cache) return;
  constexpr std::int64_t times = 2;  // the cache need not drop what is oldest
  const auto options = at::TensorOptions().dtype(at::kFloat).device(device);
  passing_ = at::zeros({times * cache->value() / 4}, options);
  sum_ = at::zeros({}, options);
}

void CacheState::prepare(std::span<const at::Tensor> written) const {
  if (!passing_.defined()) return;
  const c10::NoGradGuard no_grad;
  // Read and not written: what an op drops from the cache is then dropped without writing it back.
  at::sum_out(sum_, passing_, at::IntArrayRef{0});
  for (const at::Tensor& operand : written) {
    // An own version counter: what autograd keeps of the operand stays valid.
    if (operand.is_floating_point()) operand.variable_data().mul_(1.0);
  }
}

}  // namespace rooflab::torch_worker
