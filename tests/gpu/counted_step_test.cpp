// Hardware counters on a CUDA GPU, of work whose figures are known. Skipped, with the reason, where
// the machine has no GPU or its counters cannot be read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "../torch/worker_case.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::engine {
namespace {

using record::KernelFigure;

class CountedStep : public testing::Test {
 protected:
  /// Skips the test where nothing was counted.
  static void count(Case request, record::Record& result) {
    static const Capabilities capabilities = describe(ROOFLAB_TORCH_WORKER);
    if (std::ranges::none_of(capabilities.devices,
                             [](const auto& device) { return device.kind == "cuda"; })) {
      GTEST_SKIP() << "no CUDA device here";
    }
    request.identity.device = "cuda:0";
    request.settings.counters = true;
    result = run(request);
    ASSERT_EQ(result.status, record::Status::ok) << result.message;
    if (!result.counting) {
      GTEST_SKIP() << (result.warnings.empty() ? "nothing was counted"
                                               : result.warnings.back().text());
    }
  }

  static Case layer(const std::string& text, const std::string& input, Precision precision) {
    Case request = short_case("alexnet", {.batch = 1});
    request.graph = zoo::single_layer(text, zoo::shape_from_text(input));
    request.identity.model = text;
    request.identity.precision = precision;
    return request;
  }

  static double sum(const record::Record& result, KernelFigure figure) {
    return result.kernels->sum(figure).value_or(-1.0);
  }
};

// 2048 x 4096 by 4096 x 4096: 2 m n k operations, no padding at these extents.
TEST_F(CountedStep, MatrixProductIsCountedByTheTypeOfItsInputs) {
  constexpr double expected = 2.0 * 2048 * 4096 * 4096;
  const std::pair<Precision, KernelFigure> cases[] = {{Precision::tf32, KernelFigure::tensor_tf32},
                                                      {Precision::bf16, KernelFigure::tensor_bf16},
                                                      {Precision::fp16, KernelFigure::tensor_fp16}};
  for (const auto& [precision, figure] : cases) {
    record::Record result;
    count(layer("linear(4096,4096)", "2048x4096", precision), result);
    if (IsSkipped() || HasFatalFailure()) return;
    EXPECT_NEAR(sum(result, figure), expected, 1e-3 * expected) << name_of(precision);
    EXPECT_NEAR(result.counting->step->at(figure, 0).value_or(0.0), expected, 1e-3 * expected);
  }
}

TEST_F(CountedStep, MatrixProductInFp32RunsOnTheCudaCores) {
  constexpr double expected = 2.0 * 2048 * 4096 * 4096;
  record::Record result;
  count(layer("linear(4096,4096)", "2048x4096", Precision::fp32), result);
  if (IsSkipped() || HasFatalFailure()) return;
  const double fp32 =
      record::sums_of(*result.kernels, true).at(record::KernelFigure::fp32_flops).value_or(0.0);
  EXPECT_NEAR(fp32, expected, 0.02 * expected);
}

// ReLU in place of 1 GiB: every byte is read and written.
TEST_F(CountedStep, BytesOfAReluAreThoseOfItsOperands) {
  constexpr double expected = 2.0 * (1 << 30);
  record::Record result;
  count(layer("relu", "256x1024x1024", Precision::fp32), result);
  if (IsSkipped() || HasFatalFailure()) return;
  const double bytes =
      sum(result, KernelFigure::dram_read_bytes) + sum(result, KernelFigure::dram_write_bytes);
  EXPECT_NEAR(bytes, expected, 0.03 * expected);
}

TEST_F(CountedStep, EveryKernelOfATrainingStepHasANodeAndAPass) {
  record::Record result;
  count(short_case("resnet18", {.batch = 4}, Phase::training), result);
  if (IsSkipped() || HasFatalFailure()) return;
  const record::KernelTable& kernels = *result.kernels;
  ASSERT_EQ(static_cast<std::int64_t>(kernels.size()), result.counting->launches_per_step);
  std::map<std::string, int> passes;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const std::int64_t scope = kernels.launch(row).external_id;
    ASSERT_GT(scope, 0) << kernels.name(row);
    ASSERT_LE(scope, static_cast<std::int64_t>(result.counting->scopes.size()));
    ++passes[result.counting->scopes[static_cast<std::size_t>(scope) - 1].pass];
    EXPECT_TRUE(kernels.at(KernelFigure::time_s, row)) << kernels.name(row);
    EXPECT_TRUE(kernels.at(KernelFigure::ffma, row)) << kernels.name(row);
  }
  for (const char* pass : {"forward", "backward", "loss", "optimizer"}) {
    EXPECT_GT(passes[pass], 0) << pass;
  }
  for (const record::CounterSet& set : result.counting->sets) EXPECT_EQ(set.dropped, 0);
}

}  // namespace
}  // namespace rooflab::engine
