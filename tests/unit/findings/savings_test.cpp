// What findings are worth: at most the step less its floor, and each cost once.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../predict/toy_device.hpp"
#include "analyze/analyze_notes.hpp"
#include "rooflab/findings/findings.hpp"
#include "step_trace.hpp"

namespace rooflab::findings {
namespace {

using record::KernelFigure;

double sum_of(const std::vector<Finding>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0, [](double sum, const Finding& finding) {
    return sum + finding.worth_s.value_or(0.0);
  });
}

std::optional<double> worth_of(const std::vector<Finding>& all, FindingKind kind) {
  const auto found = std::ranges::find(all, kind, &Finding::kind);
  return found == all.end() ? std::nullopt : found->worth_s;
}

/// A log of kernels of 10 s, with 500 fused multiply-adds and no byte, on a device of 100 B/s,
/// 1000 FLOP/s, and 4000 in TF32.
class Log {
 public:
  Log& kernel(std::string_view name, std::int32_t stream = 7, std::int32_t device = 0,
              std::optional<std::int64_t> start_s = {}) {
    record::KernelTable& kernels = record_.kernels ? *record_.kernels : record_.kernels.emplace();
    record::KernelLaunch launch;
    launch.name = kernels.names.intern(name);
    launch.stream = stream;
    launch.device = device;
    if (start_s) launch.start_ns = *start_s * 1'000'000'000;
    const std::size_t row = kernels.add(launch);
    for (const auto& [figure, value] :
         {std::pair(KernelFigure::time_s, 10.0), std::pair(KernelFigure::ffma, 500.0),
          std::pair(KernelFigure::fadd, 0.0), std::pair(KernelFigure::fmul, 0.0),
          std::pair(KernelFigure::tensor_tf32, 0.0), std::pair(KernelFigure::dram_bytes, 0.0)}) {
      kernels.set(figure, row, value);
    }
    return *this;
  }
  [[nodiscard]] std::vector<Finding> findings() const {
    const device::Device device = predict::toy_tensor_device();
    record::Record record = record_;
    record.environment.device.compute_capability = "8.0";
    return findings_of(
        analyze::imported_case_of(std::move(record), "toy", device::Catalog({device}), device));
  }

 private:
  record::Record record_;
};

// 10 s of conversions, of FP32 products (7.5 s at four times the rate), and of a kernel at 10 % of
// its roof (9 s): of 30 s.
TEST(Savings, ACostOfALogIsInOneFinding) {
  const std::vector<Finding> all =
      Log().kernel("nchwToNhwcKernel").kernel("sgemm_128x64").kernel("bn_fw").findings();
  EXPECT_EQ(worth_of(all, FindingKind::layout_conversion), 10.0);
  EXPECT_EQ(worth_of(all, FindingKind::cuda_core_products), 7.5);
  EXPECT_EQ(worth_of(all, FindingKind::far_from_roofs), 9.0);
  EXPECT_EQ(std::ranges::count(all, FindingKind::far_from_roofs, &Finding::kind), 1);
  EXPECT_EQ(sum_of(all), 26.5);
}

// Eight products of 10 s on eight streams: ncu runs them one by one, and nobody knows how they
// overlap. With their starts they do: 10 s, of which 7.5 are saved, and not 60.
TEST(Savings, KernelsBesideEachOtherCountOnce) {
  Log without;
  Log with;
  for (std::int32_t stream = 0; stream < 8; ++stream) {
    without.kernel("sgemm_128x64", stream);
    with.kernel("sgemm_128x64", stream, 0, 0);
  }
  const std::vector<Finding> unknown = without.findings();
  ASSERT_FALSE(unknown.empty());
  EXPECT_EQ(unknown.front().kind, FindingKind::cuda_core_products);
  EXPECT_EQ(unknown.front().worth_s, std::nullopt);
  EXPECT_EQ(worth_of(with.findings(), FindingKind::cuda_core_products), 7.5);
}

// Another kernel runs from 5 to 15 s: 5 s of the products are alone.
TEST(Savings, WhatHidesBehindOtherKernelsSavesNothing) {
  const std::vector<Finding> all =
      Log().kernel("sgemm_128x64", 1, 0, 0).kernel("bn_fw", 2, 0, 5).findings();
  EXPECT_EQ(worth_of(all, FindingKind::cuda_core_products), 3.75);
}

// Two devices work for one step: it ends no earlier than the one that gains most.
TEST(Savings, OfSeveralDevicesTheOneWithMostCounts) {
  const std::vector<Finding> all = Log()
                                       .kernel("sgemm_128x64", 7, 0)
                                       .kernel("sgemm_128x64", 7, 0)
                                       .kernel("sgemm_128x64", 7, 1)
                                       .findings();
  EXPECT_EQ(worth_of(all, FindingKind::cuda_core_products), 15.0);
}

// 300 us of idle time are the optimizer's, and not the host's once more; short kernels that convert
// layouts are conversions.
TEST(Savings, ACostOfATraceIsInOneFinding) {
  using trace_case::us;
  trace_case::StepTrace step;
  step.record().annotation("Optimizer.step#SGD.step", 400 * us, 300 * us);
  for (int i = 0; i < 100; ++i) step.kernel("nchwToNhwcKernel", i * 4 * us, 4 * us);
  step.kernel("k", 700 * us, 300 * us);
  step.record().op("aten::_foreach_add_", 690 * us, 20 * us, 9);
  const std::vector<Finding> all = step.findings();
  EXPECT_NEAR(worth_of(all, FindingKind::layout_conversion).value_or(0.0), 400e-6, 1e-9);
  EXPECT_NEAR(worth_of(all, FindingKind::optimizer).value_or(0.0), 300e-6, 1e-9);
  EXPECT_EQ(worth_of(all, FindingKind::host_wait), std::nullopt);
  EXPECT_EQ(worth_of(all, FindingKind::short_kernels), std::nullopt);
  EXPECT_LE(sum_of(all), 1e-3);
}

/// A decode step of 60 ms, whose weights and cache take 17.6 ms to read once: a limit of 40 ms.
analyze::CaseResult decode_step() {
  analyze::CaseResult result;
  result.model = "llm";
  result.recorded = true;
  result.precision = Precision::bf16;
  result.device = predict::toy_tensor_device();
  result.limit.main_path = ArithmeticPath::bf16_tensor_fp32;
  result.limit.time = Seconds{0.040};
  result.limit.ideal_time = Seconds{0.0176};
  result.prediction_model = analyze::PredictionModel::calibrated;
  result.prediction.emplace();
  result.prediction->time = Seconds{0.060};
  result.prediction->device = Seconds{0.045};
  result.issued_by = "pytorch";
  analyze::LayerRow row;
  row.name = "layers.0.attention";
  row.op = "attention";
  row.bound = predict::Bound::memory;
  row.predicted = Seconds{0.045};
  row.time = Seconds{0.040};
  result.layers = {row};
  return result;
}

// Fused, 1 - 17.6 / 40 of the step is saved, 33.6 ms; the host's 15 ms would make 48.6 of the 42.4
// that are above the floor, so that 8.8 are left for it.
TEST(Savings, AreAtMostTheStepLessItsFloor) {
  const std::vector<Finding> all = findings_of(decode_step());
  EXPECT_NEAR(worth_of(all, FindingKind::memory_bound).value_or(0.0), 0.0336, 1e-9);
  EXPECT_NEAR(worth_of(all, FindingKind::host_wait).value_or(0.0), 0.0088, 1e-9);
  EXPECT_NEAR(sum_of(all), 0.060 - 0.0176, 1e-9);
}

// Two batches in 80 ms: 20 ms less for a batch, of which the host's are in its own finding.
TEST(Savings, ALargerBatchSavesTheHostOnce) {
  analyze::CaseResult result = decode_step();
  result.limit.ideal_time = Seconds{0.001};
  result.layers.clear();
  result.doubled_batch = Seconds{0.080};
  const std::vector<Finding> all = findings_of(result);
  EXPECT_NEAR(worth_of(all, FindingKind::host_wait).value_or(0.0), 0.015, 1e-9);
  EXPECT_NEAR(worth_of(all, FindingKind::small_batch).value_or(0.0), 0.005, 1e-9);
}

// 1 s at the FP32 rate is 0.25 s at TF32's, and 0.1 s to read: less than the FP32 limit.
TEST(Savings, TheFloorOfFp32WorkIsThatOfTheTensorCoresThatAreAdvised) {
  analyze::CaseResult result = decode_step();
  result.precision = Precision::fp32;
  result.limit.main_path = ArithmeticPath::fp32_vector;
  result.limit.matrix_flops = Flops(1000);
  result.limit.ideal_bytes = Bytes(10);
  result.limit.time = result.limit.ideal_time = Seconds{1.0};
  result.prediction->time = result.prediction->device = Seconds{1.2};
  result.layers[0].matrix_flops = Flops(1000);
  result.layers[0].bound = predict::Bound::compute;
  result.layers[0].predicted = Seconds{1.2};
  result.layers[0].time = Seconds{1.0};
  result.layers[0].compulsory_bytes = Bytes(10);
  // 1.2 (1 - 0.25), and the step less 0.25 is 0.95.
  EXPECT_NEAR(worth_of(findings_of(result), FindingKind::cuda_core_products).value_or(0.0), 0.9,
              1e-9);
}

TEST(Savings, AStepOfWhichAPartIsNotCountedHasNone) {
  analyze::CaseResult result = decode_step();
  EXPECT_FALSE(findings_of(result).empty());
  result.prediction.reset();
  result.prediction_model = analyze::PredictionModel::limit;
  result.notes.push_back(
      {analyze::says.answer_not_counted, {std::vector<std::string>{"aten.loop"}}});
  EXPECT_TRUE(findings_of(result).empty());
}

}  // namespace
}  // namespace rooflab::findings
