#include "trace/trace_tensor_cores.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rooflab::trace {
namespace {

struct Kernel {
  std::string name;
  bool plugin;
  bool ours;
};

// Names as profilers print them.
TEST(TraceTensorCores, KnowsKernelsByTheirNames) {
  for (const Kernel& kernel : {
           Kernel{"volta_h884gemm_64x128_ldg8_nn", true, true},
           Kernel{"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn", true, true},
           Kernel{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
                  true, true},
           Kernel{"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x64x"
                  "32_stage5_warpsize2x2x1_g1_tensor16x8x8_kernel_cudnn",
                  false, true},
           Kernel{"cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_void_f16", false, true},
           Kernel{"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", false, true},
           Kernel{"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64>>", false, true},
           Kernel{"fmha_cutlassF_bf16_aligned_64x64_rf_sm80", false, true},
           Kernel{"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma",
                  true, false},
           Kernel{"cutlass_80_simt_sgemm_256x128_8x4_nn_align1", false, false},
           Kernel{"ampere_sgemm_128x64_nn", false, false},
           Kernel{"void at::native::vectorized_elementwise_kernel<4, AddFunctor>", false, false},
           Kernel{"", false, false},
       }) {
    EXPECT_EQ(uses_tensor_cores(kernel.name, TraceRule::plugin), kernel.plugin) << kernel.name;
    EXPECT_EQ(uses_tensor_cores(kernel.name, TraceRule::ours), kernel.ours) << kernel.name;
  }
}

// Of a ResNet-18 training step in TF32 on an H200, under Nsight Compute: names with and without
// sm__ops_path_tensor_src_tf32_dst_fp32. Long ones are cut in the middle.
TEST(TraceTensorCores, AgreeWithTheCountersOnTheKernelsOfATf32Step) {
  for (
      const std::string_view name : {
          "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize64x32x64_stage5_"
          "warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_kernel__5x_cudnn",
          "sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x32x64_stage5_"
          "warpsize2x2x1_g1_tensor16x8x8_execute_kernel__5x_cudnn",
          "sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x32_"
          "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
          "sm90_xmma_dgrad_implicit_gemm_indexed_f32f32_tf32f32_f32_nhwckrsc_nhwc_"
          "tilesize128x64x32_warpgroupsize1x1x1_g1_strided_execute_kernel__5x_cudnn",
          "void "
          "cutlass__5x_cudnn::Kernel<conv::ImplicitGemmConvolution<conv::ImplicitGemmMultistage"
          "<gemm::GemmShape<64, 64, 32>, gemm::MmaPolicy<gemm::MmaTensorOp<gemm::GemmShape<32, 32,"
          " 32>, cutlass__5x_cudnn::tfloat32_t>>>>>",
      }) {
    EXPECT_TRUE(uses_tensor_cores(name, TraceRule::ours)) << name;
  }
  for (
      const std::string_view name : {
          "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, 0, 0, 1>(int, int)",
          "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_"
          "warpsize1x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn",
          "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(T1::Params)",
          "sm80_xmma_gemm_f32f32_f32f32_f32_nt_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_"
          "alignc4_execute_kernel__5x_cublas",
          "void cutlass__5x_cudnn::Kernel<reduction::ReduceSplitK<cutlass__5x_cudnn::MatrixShape<4,"
          " 128>, cutlass__5x_cudnn::LinearCombination<float, 4, float, float, 0, 2>>>",
          "void engines_precompiled::nchwToNhwcKernel<float, float, float, 0, 1, 0, 1>",
          "void detail::dgrad2d_alg1_1<float, 0, 6, 6, 5, 4, 4, 0, 1>",
      }) {
    EXPECT_FALSE(uses_tensor_cores(name, TraceRule::ours)) << name;
  }
}

}  // namespace
}  // namespace rooflab::trace
