#include "record/counter_metric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::record {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST(CounterMetric, FindsTotals) {
  const auto time = counter_metric("gpu__time_duration.sum");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->figure, KernelFigure::time_s);
  EXPECT_EQ(time->dimension, MetricDimension::time);
  EXPECT_EQ(time->form, MetricForm::total);

  const auto read = counter_metric("dram__bytes_read.sum");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->figure, KernelFigure::dram_read_bytes);
  EXPECT_EQ(read->dimension, MetricDimension::bytes);

  // GB20x has no dram__bytes_read.
  const auto op_write = counter_metric("dram__bytes_op_write.sum");
  ASSERT_TRUE(op_write);
  EXPECT_EQ(op_write->figure, KernelFigure::dram_write_bytes);
  EXPECT_EQ(op_write->form, MetricForm::total_elsewhere);
}

TEST(CounterMetric, TheSameCountOfAnotherUnitIsAnAlternative) {
  const auto partition = counter_metric("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum");
  const auto multiprocessor = counter_metric("sm__sass_thread_inst_executed_op_ffma_pred_on.sum");
  ASSERT_TRUE(partition && multiprocessor);
  EXPECT_EQ(partition->figure, KernelFigure::ffma);
  EXPECT_EQ(multiprocessor->figure, KernelFigure::ffma);
  EXPECT_EQ(partition->form, MetricForm::total);
  EXPECT_EQ(multiprocessor->form, MetricForm::total_elsewhere);
}

TEST(CounterMetric, TellsRates) {
  const auto second = counter_metric("dram__bytes.sum.per_second");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->figure, KernelFigure::dram_bytes);
  EXPECT_EQ(second->form, MetricForm::per_second);
  const auto cycle =
      counter_metric("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed");
  ASSERT_TRUE(cycle);
  EXPECT_EQ(cycle->form, MetricForm::per_cycle);
  // DRAM cycles are not the multiprocessors'.
  EXPECT_FALSE(counter_metric("dram__bytes.sum.per_cycle_elapsed"));
  EXPECT_FALSE(
      counter_metric("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"));
  EXPECT_FALSE(counter_metric("dram__bytes.sum.pct_of_peak_sustained_elapsed"));
}

TEST(CounterMetric, AchievedRatesAreWeightedAndPeaksAreNoCounts) {
  const auto achieved =
      counter_metric("derived__smsp__sass_thread_inst_executed_op_hfma_pred_on_x4");
  ASSERT_TRUE(achieved);
  EXPECT_EQ(achieved->figure, KernelFigure::hfma);
  EXPECT_EQ(achieved->form, MetricForm::per_cycle_derived);
  EXPECT_DOUBLE_EQ(achieved->factor, 0.25);
  EXPECT_FALSE(counter_metric("derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2"));
}

TEST(CounterMetric, LeavesOutWhatIsNoTotal) {
  for (const char* name : {
           "dram__bytes_read.avg",
           "dram__bytes_read.max",
           "gpu__time_duration.min",
           "dram__bytes_read",
           "dram__bytes_readx.sum",
           "lts__bytes_read.sum",
           "sm__sass_thread_inst_executed_ops_fadd_fmul_ffma_pred_on.sum",
           "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum",
           "sm__ops_path_tensor_op_hmma_src_fp16.sum",
           "sm__ops_path_tensor_src_fp16_sparsity_on.sum",
           "",
           "__.sum",
           ".sum",
       }) {
    EXPECT_FALSE(counter_metric(name)) << name;
  }
}

TEST(CounterMetric, PartsOfAnInputTypeAddUp) {
  const auto into_fp16 = counter_metric("sm__ops_path_tensor_src_fp8_dst_fp16.sum");
  const auto into_fp32 = counter_metric("sm__ops_path_tensor_src_fp8_dst_fp32.sum");
  ASSERT_TRUE(into_fp16 && into_fp32);
  EXPECT_EQ(into_fp16->figure, KernelFigure::tensor_fp8);
  EXPECT_EQ(into_fp32->figure, KernelFigure::tensor_fp8);
  EXPECT_EQ(into_fp16->form, into_fp32->form);
  EXPECT_NE(into_fp16->base, into_fp32->base);
}

TEST(CounterMetric, ClockAndOccupancyHaveTheirOwnRollups) {
  EXPECT_EQ(counter_metric("sm__cycles_elapsed.avg.per_second")->figure, KernelFigure::sm_clock_hz);
  EXPECT_FALSE(counter_metric("sm__cycles_elapsed.max"));
  const auto occupancy = counter_metric("sm__warps_active.avg.pct_of_peak_sustained_active");
  ASSERT_TRUE(occupancy);
  EXPECT_EQ(occupancy->figure, KernelFigure::occupancy);
  EXPECT_EQ(occupancy->dimension, MetricDimension::fraction);
  EXPECT_EQ(counter_metric("sm__inst_executed_pipe_tensor.sum")->figure,
            KernelFigure::tensor_pipe_instructions);
  const std::string moves = metric_of(KernelFigure::tensor_pipe_moves);
  EXPECT_EQ(moves, "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum");
  EXPECT_EQ(counter_metric(moves)->figure, KernelFigure::tensor_pipe_moves);
}

// Names as CUPTI 13.0 lists them for the chips.
TEST(TensorMetrics, DifferByChip) {
  EXPECT_THAT(tensor_metrics_of(ComputeCapability{9, 0}),
              ElementsAre("sm__ops_path_tensor_src_fp16", "sm__ops_path_tensor_src_bf16_dst_fp32",
                          "sm__ops_path_tensor_src_tf32_dst_fp32", "sm__ops_path_tensor_src_fp64",
                          "sm__ops_path_tensor_src_fp8"));
  // Turing has one counter for three types; asking Hopper's names there is an error of CUPTI.
  EXPECT_THAT(tensor_metrics_of(ComputeCapability{7, 5}),
              ElementsAre("sm__ops_path_tensor_src_fp16_dst_fp16",
                          "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32"));
  EXPECT_EQ(tensor_metrics_of(ComputeCapability{8, 0}).size(), 5U);
  EXPECT_EQ(tensor_metrics_of(ComputeCapability{8, 9}).size(), 6U);
  EXPECT_EQ(tensor_metrics_of(ComputeCapability{10, 0}).size(), 8U);
  // GB110 tells fp8 from fp4 as GB20x does, GB10B does not.
  EXPECT_THAT(tensor_metrics_of(ComputeCapability{10, 3}),
              Contains("sm__ops_path_tensor_src_fp8_dst_fp32"));
  EXPECT_THAT(tensor_metrics_of(ComputeCapability{11, 0}),
              Contains("sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32"));
  EXPECT_EQ(tensor_metrics_of(ComputeCapability{12, 0}).size(), 10U);
  EXPECT_THAT(tensor_metrics_of(ComputeCapability{6, 1}), IsEmpty());
  EXPECT_THAT(tensor_metrics_of(ComputeCapability{99, 0}), IsEmpty());
}

TEST(TensorMetrics, AreFoundByChipName) {
  EXPECT_EQ(tensor_metrics_of("GH100"), tensor_metrics_of(ComputeCapability{9, 0}));
  EXPECT_EQ(tensor_metrics_of("TU104"), tensor_metrics_of(ComputeCapability{7, 5}));
  EXPECT_EQ(tensor_metrics_of("GB203"), tensor_metrics_of(ComputeCapability{12, 0}));
  EXPECT_THAT(tensor_metrics_of("TU117"), IsEmpty());  // GTX 16
  EXPECT_THAT(tensor_metrics_of("GP100"), IsEmpty());
  EXPECT_THAT(tensor_metrics_of("GH100x"), IsEmpty());
}

TEST(TensorMetrics, EveryNameHasAFigure) {
  for (const ComputeCapability chip :
       {ComputeCapability{7, 0}, {7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}}) {
    EXPECT_TRUE(has_tensor_cores(chip));
    for (const std::string_view name : tensor_metrics_of(chip)) {
      const auto metric = counter_metric(std::string(name) + ".sum");
      ASSERT_TRUE(metric) << name;
      EXPECT_EQ(tensor_figure_of(name), metric->figure) << name;
    }
  }
  EXPECT_FALSE(has_tensor_cores({6, 1}));
  EXPECT_FALSE(tensor_figure_of("sm__inst_executed_pipe_tensor"));
}

TEST(ChipMetrics, FollowTheChip) {
  EXPECT_THAT(dram_metrics_of("GH100"),
              ElementsAre("dram__bytes_read.sum", "dram__bytes_write.sum"));
  EXPECT_THAT(dram_metrics_of("GB205"),
              ElementsAre("dram__bytes_op_read.sum", "dram__bytes_op_write.sum"));
  for (const char* shared : {"GA10B", "GB10B", "GB20B"}) {
    EXPECT_THAT(dram_metrics_of(shared), IsEmpty()) << shared;
  }
  EXPECT_EQ(core_metrics_of("GH100").size(), 9U);
  EXPECT_EQ(core_metrics_of("GB100").size(), 12U);
  EXPECT_EQ(core_metrics_of("GB110").size(), 12U);
  EXPECT_EQ(core_metrics_of("GB202").size(), 9U);
  EXPECT_TRUE(is_known_chip("TU117"));
  EXPECT_FALSE(is_known_chip("GX100"));
  EXPECT_FALSE(is_known_chip(""));
  EXPECT_THAT(dram_metrics_of("GX100"),
              ElementsAre("dram__bytes_read.sum", "dram__bytes_write.sum"));
}

TEST(CollectionMetrics, AreAllThatAChipNeeds) {
  // Time, two for DRAM, nine of the CUDA cores, five of the tensor cores.
  EXPECT_EQ(collection_metrics({9, 0}).size(), 17U);
  EXPECT_THAT(collection_metrics({9, 0}), Contains("sm__ops_path_tensor_src_fp16.sum"));
  EXPECT_EQ(collection_metrics({6, 1}).size(), 12U);
  // Packed fp32 instructions are on the data-centre Blackwell alone.
  EXPECT_EQ(collection_metrics({10, 0}).size(), 1U + 2U + 12U + 8U);
  EXPECT_THAT(collection_metrics({10, 0}),
              Contains("smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum"));
  EXPECT_THAT(collection_metrics({12, 0}), Contains("dram__bytes_op_read.sum"));
  EXPECT_THAT(collection_metrics({12, 0}), Not(Contains("dram__bytes_read.sum")));
}

TEST(ComputeCapability, IsReadFromText) {
  EXPECT_EQ(compute_capability_from("9.0"), (ComputeCapability{9, 0}));
  EXPECT_EQ(compute_capability_from("12.1"), (ComputeCapability{12, 1}));
  for (const char* text : {"", "9", "9.", ".0", "9.0.1", "sm_90", "-1.0", "9.10"}) {
    EXPECT_FALSE(compute_capability_from(text)) << text;
  }
}

TEST(CounterMetric, APrecisionMayLeaveTensorCoresNoWork) {
  EXPECT_FALSE(serves_tensor_cores({8, 0}, Precision::fp32));
  EXPECT_TRUE(serves_tensor_cores({8, 0}, Precision::tf32));
  // Volta and Turing multiply fp16 alone.
  EXPECT_FALSE(serves_tensor_cores({7, 0}, Precision::tf32));
  EXPECT_TRUE(serves_tensor_cores({7, 0}, Precision::amp));
  EXPECT_FALSE(serves_tensor_cores({7, 5}, Precision::bf16));
  EXPECT_FALSE(serves_tensor_cores({6, 1}, Precision::fp16));
}

TEST(CounterMetric, InstructionsOfATypeAreReadButNotAskedFor) {
  EXPECT_EQ(counter_metric("smsp__sass_thread_inst_executed_op_fp16_pred_on.sum")->figure,
            KernelFigure::fp16_instructions);
  for (const std::string& name : collection_metrics({8, 0})) {
    EXPECT_EQ(name.find("op_fp16"), std::string::npos);
  }
}

}  // namespace
}  // namespace rooflab::record
