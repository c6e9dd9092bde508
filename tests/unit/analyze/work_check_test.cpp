#include <gtest/gtest.h>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::analyze {
namespace {

predict::NetworkLimit model_of(std::int64_t matrix, std::int64_t vector) {
  predict::NetworkLimit model;
  model.matrix_flops = Flops(matrix);
  model.vector_flops = Flops(vector);
  return model;
}

/// A kernel of 400 FLOPs on the CUDA cores, and of `tensor` on tensor cores.
record::KernelSums totals_of(std::optional<double> tensor) {
  using enum record::KernelFigure;
  record::KernelTable kernels;
  kernels.add({.name = kernels.names.intern("k")});
  for (const record::KernelFigure figure : {ffma, fadd, fmul}) kernels.set(figure, 0, 100.0);
  if (tensor) kernels.set(tensor_tf32, 0, *tensor);
  return record::sums_of(kernels, true);
}

TEST(WorkCheck, SaysWhichShareIsMissing) {
  const record::KernelSums totals = totals_of(std::nullopt);
  const WorkCheck check = check_work(totals, model_of(900, 100));
  EXPECT_DOUBLE_EQ(check.missing_share, 0.6);
  EXPECT_EQ(check.cuda_core_flops, 400.0);
  EXPECT_EQ(check.tensor_flops, std::nullopt);
  EXPECT_FALSE(check.passes());
}

TEST(WorkCheck, MoreThanTheModelIsNoLoss) {
  const record::KernelSums totals = totals_of(700.0);
  const WorkCheck check = check_work(totals, model_of(1000, 0));
  EXPECT_NEAR(check.missing_share, -0.1, 1e-12);
  EXPECT_EQ(check.cuda_core_flops, 400.0);
  EXPECT_TRUE(check.passes());
}

TEST(WorkCheck, ANetworkWithoutFlopsCannotBeChecked) {
  EXPECT_THROW((void)check_work(record::KernelSums(), model_of(0, 0)), Error);
}

}  // namespace
}  // namespace rooflab::analyze
