// Loss scaling against what PyTorch's documentation of GradScaler says, on the CPU. A libtorch
// before 2.3 has the two kernels for CUDA only: there they are stood in for, as
// aten/src/ATen/native/cuda/AmpKernels.cu describes them.

#include "grad_scaler.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/library.h>
#include <torch/version.h>

#include <limits>

namespace {

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 3)

void check_and_unscale(at::TensorList gradients, at::Tensor& found_inf,
                       const at::Tensor& inverse_scale) {
  for (const at::Tensor& gradient : gradients) {
    if (!gradient.isfinite().all().item<bool>()) found_inf.fill_(1.0);
    gradient.mul_(inverse_scale);
  }
}

at::Tensor& update_scale(at::Tensor& scale, at::Tensor& growth_tracker, const at::Tensor& found_inf,
                         double growth_factor, double backoff_factor, std::int64_t interval) {
  if (found_inf.item<float>() != 0.0F) {
    scale.mul_(backoff_factor);
    growth_tracker.zero_();
  } else if (growth_tracker.item<int>() + 1 == interval) {
    scale.mul_(growth_factor);
    growth_tracker.zero_();
  } else {
    growth_tracker.add_(1);
  }
  return scale;
}

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("_amp_foreach_non_finite_check_and_unscale_", check_and_unscale);
  library.impl("_amp_update_scale_", update_scale);
}

#endif

}  // namespace

namespace rooflab::torch_worker {
namespace {

at::Tensor parameter() { return at::tensor({1.0F, 2.0F}).requires_grad_(true); }

/// One step with the loss `factor * sum(p)`; whether the optimizer ran.
bool step(GradScaler& scaler, const at::Tensor& p, float factor) {
  p.mutable_grad().reset();
  scaler.scale((p * factor).sum()).backward();
  bool ran = false;
  scaler.step({p}, [&ran] { ran = true; });
  scaler.update();
  return ran;
}

double scale_of(const GradScaler& scaler) { return scaler.state().at(0).item<double>(); }
int tracker_of(const GradScaler& scaler) { return scaler.state().at(1).item<int>(); }

TEST(GradScaler, ScalesTheLossAndUnscalesTheGradients) {
  GradScaler scaler;
  const at::Tensor p = parameter();
  EXPECT_EQ(scaler.scale(at::full({}, 3.0)).item<float>(), 3.0F * 65536.0F);
  EXPECT_TRUE(step(scaler, p, 0.5F));
  EXPECT_TRUE(p.grad().equal(at::tensor({0.5F, 0.5F})));
  EXPECT_EQ(scale_of(scaler), 65536.0);
  EXPECT_EQ(tracker_of(scaler), 1);
}

// 1e35 * 65536 is more than fp32 holds.
TEST(GradScaler, AnOverflowSkipsTheOptimizerAndHalvesTheScale) {
  GradScaler scaler;
  const at::Tensor p = parameter();
  EXPECT_TRUE(step(scaler, p, 1.0F));
  EXPECT_FALSE(step(scaler, p, 1e35F));
  EXPECT_EQ(scale_of(scaler), 32768.0);
  EXPECT_EQ(tracker_of(scaler), 0);
  EXPECT_TRUE(step(scaler, p, 1.0F));
  EXPECT_TRUE(p.grad().equal(at::tensor({1.0F, 1.0F})));
}

// After 2,000 steps without an overflow; 1,999 of them are in the state.
TEST(GradScaler, GrowsAndGoesOnFromAState) {
  GradScaler scaler;
  scaler.set_state({at::full({}, 1024.0, at::kFloat), at::full({}, 1998, at::kInt)});
  const at::Tensor p = parameter();
  step(scaler, p, 1.0F);
  EXPECT_EQ(scale_of(scaler), 1024.0);
  step(scaler, p, 1.0F);
  EXPECT_EQ(scale_of(scaler), 2048.0);
  EXPECT_EQ(tracker_of(scaler), 0);
}

// Each optimizer is judged by its own gradients, the scale by all of them.
TEST(GradScaler, OneOfSeveralOptimizersIsSkipped) {
  GradScaler scaler;
  const at::Tensor good = parameter();
  const at::Tensor bad = parameter();
  const at::Tensor unused = parameter();
  scaler.scale(good.sum() + (bad * 1e35F).sum()).backward();
  std::vector<std::string> ran;
  scaler.step({bad}, [&ran] { ran.emplace_back("bad"); });
  scaler.step({good, unused}, [&ran] { ran.emplace_back("good"); });
  scaler.update();
  EXPECT_THAT(ran, testing::ElementsAre("good"));
  EXPECT_EQ(scale_of(scaler), 32768.0);
}

TEST(GradScaler, AStateOfSomethingElseIsRefused) {
  GradScaler scaler;
  EXPECT_TRUE(scaler.state().empty());
  scaler.set_state({});  // of a run that had not begun
  EXPECT_TRUE(scaler.state().empty());
  EXPECT_THROW(scaler.set_state({at::full({}, 1.0, at::kFloat)}), Unsupported);
}

}  // namespace
}  // namespace rooflab::torch_worker
