#include "analyze/kernel_class.hpp"

#include <gtest/gtest.h>

namespace rooflab::analyze {
namespace {

using graph::WorkClass;

// Names from logs of ncu and traces of PyTorch.
TEST(KernelClass, IsThatOfTheWork) {
  struct Named {
    const char* name;
    WorkClass work_class;
  };
  for (const auto& [name, work_class] : {
           Named{"sm80_xmma_fprop_implicit_gemm_tf32f32_tilesize128x128x16",
                 WorkClass::convolution},
           Named{"void dgrad2d_alg1_1<float, 0, 6, 7, 5>(int)", WorkClass::convolution},
           Named{"ampere_sgemm_128x64_tn", WorkClass::product},
           Named{"void splitKreduce_kernel<32, 16, int, float>", WorkClass::product},
           Named{"void flash_fwd_kernel<float>", WorkClass::product},
           Named{"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>", WorkClass::normalisation},
           Named{"void at::native::vectorized_elementwise_kernel<4, AddFunctor>",
                 WorkClass::elementwise},
           Named{"void at::native::max_pool_forward_nchw<float>", WorkClass::elementwise},
           Named{"void cudnn::ops::nchwToNhwcKernel<float>", WorkClass::copy},
           Named{"void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>",
                 WorkClass::copy},
           Named{"void at::native::multi_tensor_apply_kernel<SGD>", WorkClass::other},
           Named{"ncclDevKernel_AllReduce_Sum_f32_RING_LL", WorkClass::other},
           Named{"my_kernel", WorkClass::other},
       }) {
    EXPECT_EQ(work_class_of_kernel(name), work_class) << name;
  }
}

}  // namespace
}  // namespace rooflab::analyze
