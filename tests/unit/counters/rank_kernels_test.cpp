#include "counters/rank_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rooflab::counters {
namespace {

profile::KernelActivity kernel(const char* name, std::int64_t start_ns, std::int64_t end_ns,
                               std::uint32_t blocks = 100) {
  profile::KernelActivity activity;
  activity.name = name;
  activity.grid = {blocks, 1, 1};
  activity.block = {256, 1, 1};
  activity.start_ns = start_ns;
  activity.end_ns = end_ns;
  activity.registers_per_thread = 32;
  return activity;
}

record::DeviceIdentity device_of(int multiprocessors) {
  record::DeviceIdentity device;
  device.kind = "cuda";
  device.compute_capability = "9.0";
  device.multiprocessors = multiprocessors;
  return device;
}

// Two steps of 1000 ns. Convolution 0 to 600 and 1000 to 1600, NCCL 400 to 800 and 1400 to 1900:
// hidden are 200 and 200, busy 800 and 900.
TEST(RankKernels, TellsHiddenFromExposedCommunication) {
  const std::vector<profile::KernelActivity> kernels = {
      kernel("conv", 0, 600), kernel("ncclDevKernel_AllReduce_Sum_f32", 400, 800),
      kernel("conv", 1000, 1600), kernel("_Z7ncclFoov", 1400, 1900)};
  const record::RankKernels result = rank_kernels(kernels, device_of(100), 2e-6, 2);
  EXPECT_NEAR(result.step_s, 1e-6, 1e-15);
  EXPECT_NEAR(result.kernel_s, 1050e-9, 1e-15);
  EXPECT_NEAR(result.communication_s, 450e-9, 1e-15);
  EXPECT_NEAR(result.hidden_s, 200e-9, 1e-15);
  EXPECT_NEAR(result.busy, 0.85, 1e-9);
}

// 50 blocks on 100 multiprocessors for 400 of 1000 ns, with 80 more at the same time for 100 of
// these: 0.5 * 300 + 1 * 100.
TEST(RankKernels, CountsBlocksOfAMultiprocessorUpToOne) {
  const std::vector<profile::KernelActivity> kernels = {kernel("a", 0, 400, 50),
                                                        kernel("b", 300, 400, 80)};
  const record::RankKernels result = rank_kernels(kernels, device_of(100), 1e-6, 1);
  ASSERT_TRUE(result.sm_efficiency);
  EXPECT_NEAR(*result.sm_efficiency, 0.25, 1e-9);
}

TEST(RankKernels, WithoutADescriptionOfTheDeviceLeavesEstimatesOut) {
  const std::vector<profile::KernelActivity> kernels = {kernel("a", 0, 400)};
  const record::RankKernels result = rank_kernels(kernels, {}, 1e-6, 1);
  EXPECT_EQ(result.sm_efficiency, std::nullopt);
  EXPECT_EQ(result.occupancy, std::nullopt);
}

// By hand for compute capability 9.0, 64 warps and 64 Ki registers a multiprocessor, 8 warps a
// block. 128 registers: 4096 a warp, 16 warps, 2 blocks, 16 of 64. 32 registers: 8 blocks, all.
TEST(TheoreticalOccupancy, IsLimitedByRegisters) {
  profile::KernelActivity activity = kernel("a", 0, 1, 100000);
  activity.registers_per_thread = 128;
  EXPECT_NEAR(theoretical_occupancy("9.0", activity, 132).value(), 0.25, 1e-12);
  activity.registers_per_thread = 32;
  EXPECT_NEAR(theoretical_occupancy("9.0", activity, 132).value(), 1.0, 1e-12);
}

// 100 KiB and the system's 1 KiB of 228: 2 blocks. On a T4 100 KiB do not fit.
TEST(TheoreticalOccupancy, IsLimitedBySharedMemory) {
  profile::KernelActivity activity = kernel("a", 0, 1, 100000);
  activity.shared_memory_bytes = 100 * 1024;
  EXPECT_NEAR(theoretical_occupancy("9.0", activity, 132).value(), 0.25, 1e-12);
  EXPECT_EQ(theoretical_occupancy("7.5", activity, 40), std::nullopt);
}

// 32 threads a block: 32 blocks at most, half of the 64 warps. 48 warps on an RTX 4090 hold 24.
TEST(TheoreticalOccupancy, IsLimitedByBlocks) {
  profile::KernelActivity activity = kernel("a", 0, 1, 100000);
  activity.block = {32, 1, 1};
  EXPECT_NEAR(theoretical_occupancy("9.0", activity, 132).value(), 0.5, 1e-12);
  EXPECT_NEAR(theoretical_occupancy("8.9", activity, 128).value(), 0.5, 1e-12);
}

// 66 blocks on 132 multiprocessors: half a block of 8 warps of 64.
TEST(TheoreticalOccupancy, IsLimitedByASmallGrid) {
  EXPECT_NEAR(theoretical_occupancy("9.0", kernel("a", 0, 1, 66), 132).value(), 1.0 / 16, 1e-12);
}

TEST(TheoreticalOccupancy, IsUnknownOnAnUnknownChip) {
  EXPECT_EQ(theoretical_occupancy("3.5", kernel("a", 0, 1), 13), std::nullopt);
}

}  // namespace
}  // namespace rooflab::counters
