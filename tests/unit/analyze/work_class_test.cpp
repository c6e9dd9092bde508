#include "analyze/work_class.hpp"

#include <gtest/gtest.h>

namespace rooflab::analyze {
namespace {

// Names of kernels as cuDNN, cuBLAS and PyTorch give them.
TEST(WorkClass, OfAKernelByItsName) {
  const auto of = work_class_of_kernel;
  EXPECT_EQ(of("sm80_xmma_fprop_implicit_gemm_tf32f32_nhwc"), WorkClass::convolution);
  EXPECT_EQ(of("void cudnn::winograd_nonfused::winogradForwardData"), WorkClass::convolution);
  EXPECT_EQ(of("void engines_precompiled::nchwToNhwcKernel<float>"), WorkClass::copy);
  EXPECT_EQ(of("void cudnn::ops::convertTensor_kernel<float>"), WorkClass::copy);
  EXPECT_EQ(of("ampere_sgemm_128x64_tn"), WorkClass::product);
  EXPECT_EQ(of("void flash_fwd_kernel<...>"), WorkClass::product);
  EXPECT_EQ(of("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>"), WorkClass::normalisation);
  EXPECT_EQ(of("void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>"),
            WorkClass::elementwise);
  EXPECT_EQ(of("void at::native::elementwise_kernel<direct_copy_kernel_cuda>"), WorkClass::copy);
  EXPECT_EQ(of("void at::native::max_pool_forward_nchw"), WorkClass::other);
}

TEST(WorkClass, OfAnOp) {
  using graph::OpClass;
  EXPECT_EQ(work_class_of(OpClass::attention), WorkClass::product);
  EXPECT_EQ(work_class_of(OpClass::activation), WorkClass::elementwise);
  EXPECT_EQ(work_class_of(OpClass::pooling), WorkClass::other);
}

}  // namespace
}  // namespace rooflab::analyze
