#include "profile/sampling_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rooflab::profile {
namespace {

using record::HardwareSamples;
using testing::ElementsAre;
using testing::IsEmpty;

using Names = std::vector<std::string>;

TEST(SamplingMetrics, TakeTheFirstNameOfEachFigureThatFits) {
  const SamplingList list = sampling_metrics([](std::span<const std::string>) { return true; });
  EXPECT_THAT(
      list.metrics,
      ElementsAre("dram__bytes_read.sum", "dram__bytes_write.sum",
                  "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
                  "tpc__warps_active_shader_cs_realtime.avg.pct_of_peak_sustained_elapsed",
                  "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
                  "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                  "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed",
                  "sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_THAT(list.left_out, IsEmpty());
}

// A chip with room for three, which has other names of DRAM's bytes.
TEST(SamplingMetrics, LeaveOutTheLeastImportant) {
  const SamplingList list = sampling_metrics([](std::span<const std::string> names) {
    return names.size() <= 3 && std::ranges::none_of(names, [](const std::string& name) {
             return name.starts_with("dram__bytes_read") || name.starts_with("dram__bytes_write");
           });
  });
  EXPECT_THAT(
      list.metrics,
      ElementsAre("dram__bytes_op_read.sum", "dram__bytes_op_write.sum",
                  "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_THAT(list.left_out,
              ElementsAre("warps in flight", "FP32 pipe", "SMs in use", "FP64 pipe", "FP16 pipe"));
}

TEST(SampledMetric, TellsTheFigureInBaseUnits) {
  EXPECT_EQ(sampled_metric("dram__bytes_op_read.sum")->column, &HardwareSamples::read_bytes);
  EXPECT_EQ(sampled_metric("dram__bytes_op_read.sum")->factor, 1.0);
  const auto fma =
      sampled_metric("sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(fma->column, &HardwareSamples::fp32_share);
  EXPECT_EQ(fma->factor, 0.01);
  for (const char* other : {"", ".sum", "dram__bytes_read", "dram__bytes_read.avg",
                            ".avg.pct_of_peak_sustained_elapsed", "sm__cycles_active.sum"}) {
    EXPECT_FALSE(sampled_metric(other)) << other;
  }
}

// cupti_pmsampling.h: not on Turing, nor on GA100.
TEST(SamplesByTime, IsWhatNewerChipsCan) {
  for (const char* chip : {"TU102", "TU117", "GA100"}) EXPECT_FALSE(samples_by_time(chip)) << chip;
  for (const char* chip : {"GA102", "AD102", "GH100", "GB202"}) {
    EXPECT_TRUE(samples_by_time(chip)) << chip;
  }
}

}  // namespace
}  // namespace rooflab::profile
