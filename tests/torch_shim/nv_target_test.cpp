// The shim of <nv/target> under the real headers of CUDA, compiled for the host as libtorch's are.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#ifndef ROOFLAB_NV_BLOCK
#error "this is not the shim"
#endif

namespace rooflab {
namespace {

TEST(NvTarget, HostBranchOfCudaHeadersConvertsHalfNumbers) {
  // 1 + 2^-11 lies between 1 and the next half number, 1 + 2^-10, and rounds to the even one.
  EXPECT_EQ(__half2float(__float2half(1.0F + 0x1p-11F)), 1.0F);
  EXPECT_EQ(__half2float(__float2half(65504.0F)), 65504.0F);
  EXPECT_EQ(__bfloat162float(__float2bfloat16(1.0F + 0x1p-8F)), 1.0F);
  EXPECT_EQ(__bfloat162float(__float2bfloat16(3.0F)), 3.0F);
}

TEST(NvTarget, OnlyTheHostIsTheHost) {
  int chosen = 0;
  NV_IF_ELSE_TARGET(NV_IS_HOST, (chosen = 1;), (chosen = 2;))
  EXPECT_EQ(chosen, 1);
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (chosen = 3;), (chosen = 4;))
  EXPECT_EQ(chosen, 4);
  NV_IF_TARGET(NV_IS_DEVICE, (chosen = 5;))
  EXPECT_EQ(chosen, 4);
  NV_IF_TARGET(NV_IS_DEVICE, (chosen = 6;), (chosen = 7;))
  EXPECT_EQ(chosen, 7);
  NV_IF_TARGET(NV_IS_HOST, (chosen = 8;))
  EXPECT_EQ(chosen, 8);
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (chosen = 9;), chosen = 10;
                    chosen += 1;)  // as cuda_fp16.h has it
  EXPECT_EQ(chosen, 11);
}

}  // namespace
}  // namespace rooflab
