#include "profile/counting_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace rooflab::profile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

MetricsExist everything() {
  return [](std::span<const std::string>) { return true; };
}

constexpr const char* tf32 = "sm__ops_path_tensor_src_tf32_dst_fp32.sum";
constexpr const char* bf16 = "sm__ops_path_tensor_src_bf16_dst_fp32.sum";

TEST(CountingPlan, CountsTheStepThenKernelsOfTheTypesWithWork) {
  const MetricsExist exist = everything();
  CountingPlan plan("GH100", exist, true, false);
  const auto totals = plan.next();
  ASSERT_TRUE(totals && totals->unit == CountedUnit::step);
  EXPECT_THAT(totals->list.metrics, Contains(bf16));
  plan.totals_are(std::vector<std::string>{"dram__bytes_read.sum", tf32, bf16},
                  std::vector<double>{1e6, 6e9, 0.0});
  const auto apart = plan.next();
  ASSERT_TRUE(apart && apart->unit == CountedUnit::step);
  EXPECT_THAT(apart->list.metrics, ElementsAre("pcie__read_bytes.sum", "pcie__write_bytes.sum"));
  plan.totals_are(apart->list.metrics, std::vector<double>{1.0, 2.0});
  const auto kernels = plan.next();
  ASSERT_TRUE(kernels && kernels->unit == CountedUnit::kernel);
  EXPECT_THAT(kernels->list.metrics, Contains(tf32));
  EXPECT_THAT(kernels->list.metrics, Not(Contains(bf16)));
  EXPECT_THAT(kernels->list.metrics,
              Contains("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"));
  EXPECT_FALSE(plan.next());
}

TEST(CountingPlan, CountsALaunchOfEachGroupBeforeEveryKernel) {
  const MetricsExist exist = everything();
  CountingPlan plan("GH100", exist, true, true);
  ASSERT_TRUE(plan.next() && plan.next());
  const auto groups = plan.next();
  const auto kernels = plan.next();
  ASSERT_TRUE(groups && kernels);
  EXPECT_EQ(groups->unit, CountedUnit::launch);
  EXPECT_EQ(kernels->unit, CountedUnit::kernel);
  EXPECT_EQ(groups->list, kernels->list);
  EXPECT_FALSE(plan.next());
}

TEST(CountingPlan, CountsKernelsOfAllTypesWhereTheStepsAreNotKnown) {
  const MetricsExist exist = everything();
  CountingPlan plan("GH100", exist, true, false);
  ASSERT_TRUE(plan.next());
  plan.totals_are(std::vector<std::string>{tf32}, std::vector<double>{std::nan("")});
  ASSERT_TRUE(plan.next());
  const auto kernels = plan.next();
  ASSERT_TRUE(kernels && kernels->unit == CountedUnit::kernel);
  EXPECT_THAT(kernels->list.metrics, Contains(tf32));
  EXPECT_THAT(kernels->list.metrics, Contains(bf16));
}

TEST(CountingPlan, AChipThatSharesTheMemoryOfTheCpuHasNothingApart) {
  const MetricsExist exist = everything();
  CountingPlan plan("GA10B", exist, false, false);
  ASSERT_TRUE(plan.next());
  EXPECT_FALSE(plan.next());
}

TEST(CountingPlan, CountsTheStepAloneWhereKernelsMustNotBeSerialised) {
  const MetricsExist exist = everything();
  CountingPlan plan("GH100", exist, false, false);
  const auto totals = plan.next();
  ASSERT_TRUE(totals && totals->unit == CountedUnit::step);
  plan.totals_are(std::vector<std::string>{bf16}, std::vector<double>{2e9});
  const auto apart = plan.next();
  EXPECT_TRUE(apart && apart->unit == CountedUnit::step);
  EXPECT_FALSE(plan.next());
}

}  // namespace
}  // namespace rooflab::profile
