#include "rooflab/record/kernel_name.hpp"

#include <gtest/gtest.h>

namespace rooflab::record {
namespace {

TEST(KernelName, WhatIsCommonIsLeftOut) {
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::"
                              "nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*)"),
            "nll_loss_forward_reduce_cuda_kernel_2d<float>");
  EXPECT_EQ(short_kernel_name("void cudnn::ops::nchwToNhwcKernel<float, float, float, true>(int)"),
            "nchwToNhwcKernel<float>");
  EXPECT_EQ(short_kernel_name("gemm"), "gemm");
}

// A number says less than the type behind it.
TEST(KernelName, TheFirstTypeIsKept) {
  EXPECT_EQ(
      short_kernel_name(
          "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>,"
          " std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>)"),
      "vectorized_elementwise_kernel<CUDAFunctor_add<float>>");
  EXPECT_EQ(short_kernel_name("void dgrad2d_alg1_1<float, 0, 6, 7, 5>(int)"),
            "dgrad2d_alg1_1<float>");
  EXPECT_EQ(short_kernel_name("void f<3, 4>(int)"), "f<3>");
}

TEST(KernelName, ProductsSayDirectionTypeAndTile) {
  EXPECT_EQ(
      short_kernel_name("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_"
                        "tilesize128x128x16_stage4_warpsize2x2x1_g1_tensor16x8x8_kernel_cudnn"),
      "xmma_fprop tf32 128x128");
  EXPECT_EQ(short_kernel_name("sm90_xmma_wgrad_indexed_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_"
                              "nhwc_tilesize64x64x32_cudnn"),
            "xmma_wgrad tf32 64x64");
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x256_16x3>"
                              "(cutlass_80_tensorop_s1688gemm_128x256_16x3::Params)"),
            "cutlass_80_tensorop_s1688gemm_128x256_16x3");
}

// Anything may stand in a log.
TEST(KernelName, OtherFormsStayAsTheyAre) {
  for (const char* name :
       {"", "<", "f<", "f<<int", "()", "_ZN17cutlass__5x_cudnn6KernelE", "a b"}) {
    EXPECT_FALSE(short_kernel_name(name).empty() && name[0] != '\0') << name;
  }
  EXPECT_EQ(short_kernel_name("=cmd|' /C calc'!A0"), "=cmd|' /C calc'!A0");
  EXPECT_EQ(short_kernel_name("conv1: conv2d (forward)"), "conv1: conv2d (forward)");
  EXPECT_EQ(short_kernel_name("<img src=x onerror=alert(1)>"), "<img src=x onerror=alert(1)>");
  EXPECT_EQ(short_kernel_name("_ZN17cutlass__5x_cudnn6KernelE"), "_ZN17cutlass__5x_cudnn6KernelE");
}

}  // namespace
}  // namespace rooflab::record
