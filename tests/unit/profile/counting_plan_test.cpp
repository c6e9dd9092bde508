#include "profile/counting_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::profile {
namespace {

using enum record::KernelFigure;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<record::KernelFigure> types_of(const std::string& name) {
  return likely_tensor_types(std::vector<std::string>{name});
}

// Names as PyTorch 2.11 launched them on an H200, with what their counters then said.
TEST(LikelyTensorTypes, AreInTheNamesOfLibraries) {
  EXPECT_THAT(
      types_of("sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x256x32_warpgroupsize2x1x1"
               "_execute_segment_k_off_kernel__5x_cublas"),
      ElementsAre(tensor_tf32, tensor_fp16_bf16_tf32));
  EXPECT_THAT(types_of("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT"),
              ElementsAre(tensor_bf16, tensor_fp16_bf16_tf32));
  EXPECT_THAT(types_of("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT"),
              ElementsAre(tensor_fp16, tensor_fp16_fp16, tensor_fp16_bf16_tf32));
  EXPECT_THAT(types_of("sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize128x64x16_stage3"),
              ElementsAre(tensor_fp64));
  EXPECT_THAT(types_of("_ZN17cutlass__5x_cudnn6KernelI72cutlass_tensorop_bf16_s16816dgrad_optimized"
                       "_bf16_64x128_64x3_nhwc_align8EEvNT_6ParamsE"),
              ElementsAre(tensor_bf16, tensor_fp16_bf16_tf32));
  EXPECT_THAT(types_of("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc"),
              ElementsAre(tensor_bf16, tensor_fp16_bf16_tf32));
}

TEST(LikelyTensorTypes, AreNotInOtherNames) {
  EXPECT_THAT(types_of("cutlass_80_simt_sgemm_128x32_8x5_nn_align1"), IsEmpty());
  EXPECT_THAT(types_of("sm80_xmma_gemm_f32f32_f32f32_f32_nt_n_tilesize32x32x8_stage3"), IsEmpty());
  EXPECT_THAT(types_of("cudnn::winograd_nonfused::winogradWgradData4x4<float, float>"), IsEmpty());
}

MetricsExist everything() {
  return [](std::span<const std::string>) { return true; };
}

TEST(CountingPlan, CountsKernelsOfLikelyTypesThenTheStep) {
  const MetricsExist exist = everything();
  CountingPlan plan("GH100", exist, true, std::vector<std::string>{"xmma_gemm_tf32f32", "relu"});
  const auto kernels = plan.next();
  ASSERT_TRUE(kernels && kernels->per_kernel);
  EXPECT_THAT(kernels->list.metrics, Contains("sm__ops_path_tensor_src_tf32_dst_fp32.sum"));
  EXPECT_THAT(kernels->list.metrics, Not(Contains("sm__ops_path_tensor_src_bf16_dst_fp32.sum")));
  EXPECT_THAT(kernels->list.metrics,
              Contains("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"));
  const auto totals = plan.next();
  ASSERT_TRUE(totals && !totals->per_kernel);
  EXPECT_THAT(totals->list.metrics, Contains("sm__ops_path_tensor_src_bf16_dst_fp32.sum"));
  plan.totals_are(std::vector<std::string>{"sm__ops_path_tensor_src_tf32_dst_fp32.sum",
                                           "sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
                  std::vector<double>{6e9, 0.0});
  const auto apart = plan.next();
  ASSERT_TRUE(apart && !apart->per_kernel);
  EXPECT_THAT(apart->list.metrics, ElementsAre("pcie__read_bytes.sum", "pcie__write_bytes.sum"));
  EXPECT_FALSE(plan.next());
}

TEST(CountingPlan, AChipThatSharesTheMemoryOfTheCpuHasNothingApart) {
  const MetricsExist exist = everything();
  CountingPlan plan("GA10B", exist, false, {});
  ASSERT_TRUE(plan.next());
  EXPECT_FALSE(plan.next());
}

TEST(CountingPlan, CountsKernelsAnewForATypeThatNoNameTold) {
  const MetricsExist exist = everything();
  CountingPlan plan("GH100", exist, true, std::vector<std::string>{"fused_kernel_7"});
  ASSERT_TRUE(plan.next());
  ASSERT_TRUE(plan.next());
  plan.totals_are(
      std::vector<std::string>{"dram__bytes_read.sum", "sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
      std::vector<double>{1e6, 2e9});
  const auto again = plan.next();
  ASSERT_TRUE(again && again->per_kernel);
  EXPECT_THAT(again->list.metrics, Contains("sm__ops_path_tensor_src_bf16_dst_fp32.sum"));
  EXPECT_THAT(again->list.metrics, Not(Contains("sm__ops_path_tensor_src_tf32_dst_fp32.sum")));
  ASSERT_TRUE(plan.next());
  EXPECT_FALSE(plan.next());
}

TEST(CountingPlan, CountsTheStepAloneWhereKernelsMustNotBeSerialised) {
  const MetricsExist exist = everything();
  CountingPlan plan("GH100", exist, false, std::vector<std::string>{"ncclDevKernel_AllReduce"});
  const auto totals = plan.next();
  ASSERT_TRUE(totals && !totals->per_kernel);
  plan.totals_are(std::vector<std::string>{"sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
                  std::vector<double>{2e9});
  const auto apart = plan.next();
  EXPECT_TRUE(apart && !apart->per_kernel);
  EXPECT_FALSE(plan.next());
}

}  // namespace
}  // namespace rooflab::profile
