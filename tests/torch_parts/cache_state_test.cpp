// What happens to operands when the caches are brought to the state between two ops. What the
// caches then hold shows on a GPU only, in times.

#include "cache_state.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace rooflab::torch_worker {
namespace {

TEST(CacheState, WrittenOperandsKeepTheirNumbersAndWhatAutogradSaved) {
  const CacheState caches(at::kCPU, Bytes(1 << 16));
  const at::Tensor x = at::randn({8, 8}).requires_grad_();
  const at::Tensor before = x.detach().clone();
  const at::Tensor turned = x.transpose(0, 1);
  const at::Tensor y = (x * x).sum();  // keeps x for its gradient
  const std::vector<at::Tensor> written = {x, turned, at::zeros({3}, at::kLong)};
  caches.prepare(written);
  EXPECT_TRUE(at::equal(x.detach(), before));
  y.backward();  // fails if x counts as changed
  EXPECT_TRUE(at::equal(x.grad(), 2.0 * before));
}

TEST(CacheState, WithoutACacheNothingIsDone) {
  const CacheState caches(at::kCPU, std::nullopt);
  caches.prepare({});
}

}  // namespace
}  // namespace rooflab::torch_worker
