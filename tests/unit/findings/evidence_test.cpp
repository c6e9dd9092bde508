// Advice that the case itself contradicts is not given.

#include "findings/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../predict/toy_device.hpp"
#include "step_trace.hpp"

namespace rooflab::findings {
namespace {

using testing::HasSubstr;
using testing::Not;
using trace_case::StepTrace;
using trace_case::us;

/// The finding of a kind; an empty one where the list lacks it.
Finding one_of(const std::vector<Finding>& all, FindingKind kind) {
  const auto found = std::ranges::find(all, kind, &Finding::kind);
  return found == all.end() ? Finding{.kind = kind, .words = "none"} : *found;
}
bool has(const std::vector<Finding>& all, FindingKind kind) {
  return std::ranges::find(all, kind, &Finding::kind) != all.end();
}

constexpr std::string_view fp32_convolution = "void dgrad2d_alg1_1<float>";
constexpr std::string_view tf32_convolution =
    "sm80_xmma_fprop_implicit_gemm_tf32f32_nhwckrsc_tensor16x8x8";

TEST(Evidence, Tf32ThatIsOnIsNotAdvised) {
  const auto all = StepTrace()
                       .kernel(fp32_convolution, 0, 500 * us)
                       .kernel(tf32_convolution, 500 * us, 500 * us)
                       .findings();
  EXPECT_FALSE(has(all, FindingKind::cuda_core_products));
}

// PyTorch lets cuDNN use TF32 by default, and matrix products not.
TEST(Evidence, ProductsInFp32BesideConvolutionsInTf32NeedTheirOwnSwitch) {
  const auto all = StepTrace()
                       .kernel("ampere_sgemm_128x64_tn", 0, 500 * us)
                       .kernel(tf32_convolution, 500 * us, 500 * us)
                       .findings();
  const Finding found = one_of(all, FindingKind::cuda_core_products);
  EXPECT_EQ(found.attempt, "torch.set_float32_matmul_precision(\"high\")");
  EXPECT_NEAR(found.worth_s.value_or(0.0), 375e-6, 1e-12);  // 500 us at four times the rate
  EXPECT_THAT(found.advice(), HasSubstr("TF32"));
}

TEST(Evidence, Tf32ThatTheUserNamesIsNotAdvised) {
  StepTrace step;
  step.kernel("ampere_sgemm_128x64_tn", 0, 1000 * us);
  record::Record record = step.record().record();
  EXPECT_FALSE(evidence_of(record).tf32_products);
  record.identity.precision = Precision::tf32;
  EXPECT_TRUE(evidence_of(record).tf32_products);
  EXPECT_TRUE(evidence_of(record).tf32_convolutions);
}

// Volta and Turing have no TF32.
TEST(Evidence, ADeviceWithoutTf32IsAdvisedAutocast) {
  StepTrace step;
  step.kernel("volta_sgemm_128x64_tn", 0, 1000 * us);
  const Finding found =
      one_of(step.findings(ArithmeticPath::fp16_tensor_fp32), FindingKind::cuda_core_products);
  EXPECT_THAT(found.attempt, HasSubstr("autocast"));
  EXPECT_THAT(found.attempt, Not(HasSubstr("tf32")));
  EXPECT_THAT(found.advice(), Not(HasSubstr("TF32")));
}

StepTrace optimizer_of(std::string_view step_name, std::string_view kernel) {
  StepTrace step;
  step.record().annotation(step_name, 700 * us, 300 * us).op("aten::add_", 840 * us, 20 * us, 9);
  step.kernel("k", 0, 700 * us).kernel(kernel, 850 * us, 150 * us, 4.0, 9);
  return step;
}

TEST(Evidence, AnOptimizerKeepsItsClass) {
  const auto line = [](std::string_view step_name, std::string_view kernel = "elementwise") {
    return one_of(optimizer_of(step_name, kernel).findings(), FindingKind::optimizer).attempt;
  };
  EXPECT_EQ(line("Optimizer.step#AdamW.step"),
            "for group in optimizer.param_groups: group[\"fused\"] = True");
  EXPECT_EQ(line("Optimizer.step#RMSprop.step"),
            "for group in optimizer.param_groups: group[\"foreach\"] = True");
  EXPECT_EQ(line("Optimizer.step#RMSprop.step", "multi_tensor_apply_kernel<Mul>"), "");
  EXPECT_EQ(line("Optimizer.step#Lion.step"), "");
}

TEST(Evidence, AFusedOptimizerIsNotAdvised) {
  const auto all = optimizer_of("Optimizer.step#AdamW.step",
                                "multi_tensor_apply_kernel<FusedAdamMathFunctor<float>>")
                       .findings();
  EXPECT_FALSE(has(all, FindingKind::optimizer));
}

TEST(Evidence, ALoaderIsNamedOnlyWhereOneLoads) {
  const auto line = [](bool loads) {
    StepTrace step;
    step.kernel("k", 0, 900 * us);
    step.record().call(900 * us, 10, 77, 0, "cudaMemcpyAsync");
    step.record().copy(record::CopyKind::memcpy, 900 * us, 100 * us, 77);
    record::Trace& trace = step.record().trace();
    trace.copies.back().name = trace.copy_names.intern("Memcpy HtoD (Pageable -> Device)");
    if (loads) step.record().annotation("enumerate(DataLoader)#_Iter.__next__", 10, 20);
    return one_of(step.findings(), FindingKind::blocking_copies).attempt;
  };
  EXPECT_THAT(line(true), HasSubstr("DataLoader"));
  EXPECT_THAT(line(false), HasSubstr("batch.pin_memory()"));
  EXPECT_THAT(line(false), Not(HasSubstr("DataLoader")));
  const Finding small =
      one_of(StepTrace().kernel("k", 0, 1000 * us, 0.25).findings(), FindingKind::small_batch);
  EXPECT_THAT(small.attempt, Not(HasSubstr("DataLoader")));
}

// What a compiler made is compiled; what launches graphs has captured them.
TEST(Evidence, WhatIsCompiledOrCapturedIsNotAdvised) {
  StepTrace waiting;
  waiting.kernel("k", 0, 600 * us);
  EXPECT_THAT(one_of(waiting.findings(), FindingKind::host_wait).attempt, HasSubstr("compile"));
  waiting.record().call(1, 5, 99, 0, "cudaGraphLaunch");
  EXPECT_EQ(one_of(waiting.findings(), FindingKind::host_wait).attempt, "");

  const auto short_kernels = [](std::string_view name) {
    StepTrace step;
    for (int i = 0; i < 200; ++i) step.kernel(name, i * 4 * us, 4 * us);
    return one_of(step.findings(), FindingKind::short_kernels).attempt;
  };
  EXPECT_THAT(short_kernels("elementwise"), HasSubstr("compile"));
  EXPECT_EQ(short_kernels("triton_poi_fused_add_0"), "");
}

TEST(Evidence, ChannelsLastIsForConvolutionsOnTensorCores) {
  const auto conversions = [](std::string_view name, ArithmeticPath path) {
    StepTrace step;
    step.kernel(name, 0, 300 * us).kernel("k", 300 * us, 700 * us);
    return has(step.findings(path), FindingKind::layout_conversion);
  };
  EXPECT_TRUE(conversions("nchwToNhwcKernel", ArithmeticPath::tf32_tensor));
  EXPECT_FALSE(conversions("nchwToNhwcKernel", ArithmeticPath::fp16_vector));
  EXPECT_FALSE(conversions("batched_transpose_kernel", ArithmeticPath::tf32_tensor));
}

TEST(Evidence, BucketsAreForGradientsThatAreAveraged) {
  const auto line = [](std::string_view collective, bool trains) {
    StepTrace step;
    if (trains) step.record().op("autograd::engine::evaluate_function: AddBackward0", 0, 10, 1);
    step.kernel("k", 0, 700 * us).kernel(collective, 700 * us, 300 * us);
    return one_of(step.findings(), FindingKind::exposed_communication).attempt;
  };
  EXPECT_THAT(line("ncclDevKernel_AllReduce_Sum_f32_RING_LL()", true), HasSubstr("bucket_cap_mb"));
  EXPECT_EQ(line("ncclDevKernel_AllReduce_Sum_f32_RING_LL()", false), "");
  EXPECT_EQ(line("ncclDevKernel_AllGather_RING_LL()", true), "");
}

analyze::CaseResult network(Precision precision) {
  analyze::CaseResult result;
  result.model = "net";
  result.batch = 8;
  result.precision = precision;
  result.device = predict::toy_tensor_device();
  result.limit.time = Seconds{1.0};
  result.limit.ideal_time = Seconds{0.4};
  result.prediction_model = analyze::PredictionModel::calibrated;
  result.prediction.emplace();
  result.prediction->time = result.prediction->device = Seconds{2.0};
  result.command = "rooflab predict net --device toy --batch 8";
  return result;
}

analyze::LayerRow layer(std::string name, std::string op) {
  analyze::LayerRow row;
  row.name = std::move(name);
  row.op = std::move(op);
  row.predicted = Seconds{1.5};
  row.time = Seconds{0.8};
  row.bound = predict::Bound::memory;
  return row;
}

TEST(Evidence, SixteenBitsAreNotAdvisedToDataOf16Bits) {
  const auto advice = [](Precision precision) {
    analyze::CaseResult result = network(precision);
    result.layers = {layer("norm", "batch_norm")};
    return one_of(findings_of(result), FindingKind::memory_bound).advice();
  };
  EXPECT_THAT(advice(Precision::fp32), HasSubstr("16-bit"));
  for (const Precision precision : {Precision::bf16, Precision::fp16, Precision::amp_bf16}) {
    EXPECT_THAT(advice(precision), Not(HasSubstr("16-bit")));
  }
}

// 16 outputs of 27 terms, of which 8 want 32: only the layer that takes the images can be padded.
TEST(Evidence, OnlyTheFirstLayerIsPaddedWithItsImages) {
  const auto line = [](std::string name, bool second) {
    analyze::CaseResult result = network(Precision::bf16);
    result.limit.main_path = ArithmeticPath::bf16_tensor_fp32;
    analyze::LayerRow aligned = layer("stem", "conv2d");
    aligned.output_shape = graph::Shape{1, 4, 2, 2};
    aligned.macs = Macs(16 * 32);
    analyze::LayerRow odd = layer(std::move(name), "conv2d");
    odd.output_shape = graph::Shape{1, 4, 2, 2};
    odd.macs = Macs(16 * 27);
    result.layers = second ? std::vector{aligned, odd} : std::vector{odd, aligned};
    return one_of(findings_of(result), FindingKind::channel_padding).attempt;
  };
  EXPECT_THAT(line("conv1", false), HasSubstr("model.get_submodule(\"conv1\")"));
  EXPECT_THAT(line("conv1", false), HasSubstr("-conv.in_channels % 8"));
  EXPECT_EQ(line("conv1", true), "");
  EXPECT_EQ(line("/conv1/Conv", false), "");
}

// Features in are what the layer before gives out.
TEST(Evidence, OnlyFeaturesThatALayerGivesOutArePadded) {
  const auto line = [](std::int64_t in, std::int64_t out) {
    analyze::CaseResult result = network(Precision::bf16);
    result.limit.main_path = ArithmeticPath::bf16_tensor_fp32;
    result.layers = {layer("head", "linear")};
    result.layers[0].output_shape = graph::Shape{2, out};
    result.layers[0].macs = Macs(2 * out * in);
    return one_of(findings_of(result), FindingKind::unaligned_size).attempt;
  };
  EXPECT_THAT(line(768, 50257), HasSubstr("torch.nn.Linear"));
  EXPECT_EQ(line(50257, 768), "");
}

TEST(Evidence, ARecordedOptimizerKeepsItsClass) {
  const auto findings = [](std::string optimizer) {
    analyze::CaseResult result = network(Precision::bf16);
    result.recorded = true;
    result.optimizer = std::move(optimizer);
    result.layers = {layer("(optimizer)", "optimizer")};
    return findings_of(result);
  };
  EXPECT_THAT(one_of(findings("AdamW"), FindingKind::optimizer).attempt, HasSubstr("fused"));
  EXPECT_EQ(one_of(findings("RMSprop"), FindingKind::optimizer).attempt, "");
  EXPECT_EQ(one_of(findings(""), FindingKind::optimizer).attempt, "");
  EXPECT_FALSE(has(findings("AdamW, fused"), FindingKind::optimizer));
}

TEST(Evidence, AReplayedGraphDoesNotWaitForTheHost) {
  analyze::CaseResult result = network(Precision::bf16);
  result.prediction->device = Seconds{1.5};
  result.issued_by = "pytorch";
  EXPECT_TRUE(has(findings_of(result), FindingKind::host_wait));
  result.issued_by = "graph";
  EXPECT_FALSE(has(findings_of(result), FindingKind::host_wait));
}

}  // namespace
}  // namespace rooflab::findings
