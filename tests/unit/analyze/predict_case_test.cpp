#include "rooflab/analyze/predict_case.hpp"

#include <gtest/gtest.h>

#include "networks.hpp"

namespace rooflab::analyze {
namespace {

/// Every op of a kind takes equally long; tests/cli/prediction.test works AlexNet out by hand.
KnownCalibrations toy_h200() {
  KnownCalibrations known;
  known.add_file(std::string(ROOFLAB_SOURCE_DIR) + "/tests/data/cli/toy_h200.toml",
                 device::Catalog::built_in());
  return known;
}

// AlexNet's ops take 810 us; PyTorch's host, 100 us an op, issues them in 2212 us.
TEST(PredictCase, ChoosesTheCalibrationAndItsHost) {
  const schedule::Schedule alexnet = scheduled("alexnet");
  const CaseResult result = predict_case(alexnet, device_named("h200-sxm"), {}, toy_h200());
  EXPECT_EQ(result.prediction_model, PredictionModel::calibrated);
  EXPECT_EQ(result.calibration->id, "toy-h200");
  EXPECT_EQ(result.issued_by, "pytorch");
  EXPECT_NEAR(result.predicted_time()->value, 2212e-6, 1e-9);
  EXPECT_EQ(result.count.parameters, 61100840);  // as torchvision counts AlexNet
  EXPECT_EQ(result.memory.context, Bytes(500000000));

  const CaseResult alone =
      predict_case(alexnet, device_named("h200-sxm"), {.issuer = {.name = "none"}}, toy_h200());
  EXPECT_NEAR(alone.predicted_time()->value, 810e-6, 1e-9);
}

TEST(PredictCase, TheBestModelThatThereIs) {
  const schedule::Schedule alexnet = scheduled("alexnet");
  const auto model_of = [&](const char* device, const PredictionOptions& options) {
    return predict_case(alexnet, device_named(device), options, toy_h200()).prediction_model;
  };
  const predict::PercentOfPeak half{.compute = 0.5};
  const auto without = [&](const PredictionOptions& options) {
    return predict_case(alexnet, device_named("t4"), options, KnownCalibrations{}).prediction_model;
  };
  EXPECT_EQ(without({.percent = half}), PredictionModel::ppp);
  EXPECT_EQ(without({}), PredictionModel::limit);
  EXPECT_EQ(model_of("t4", {.percent = half}), PredictionModel::calibrated);
  EXPECT_EQ(model_of("mi300x", {}), PredictionModel::calibrated);
  EXPECT_EQ(model_of("t4", {.model = PredictionModel::limit}), PredictionModel::limit);
  EXPECT_EQ(model_of("t4", {.model = PredictionModel::ppp, .percent = half}), PredictionModel::ppp);
}

TEST(PredictCase, WhatWasAskedForAndCannotBeHadIsAnError) {
  const schedule::Schedule alexnet = scheduled("alexnet");
  EXPECT_THROW((void)predict_case(alexnet, device_named("mi300x"),
                                  {.model = PredictionModel::calibrated}, KnownCalibrations{}),
               Error);
  EXPECT_THROW(
      (void)predict_case(alexnet, device_named("t4"), {.model = PredictionModel::ppp}, toy_h200()),
      Error);
}

// Device and calibration that are compiled in: the H200's, behind PyTorch's host.
TEST(PredictCase, NeedsNoMoreThanANetworkAndTheNameOfADevice) {
  const graph::Graph resnet50 = zoo::build("resnet50", {.batch = 64});
  const CaseResult result = predict_case(resnet50, "H200", {.phase = Phase::training});
  EXPECT_EQ(result.device.id, "h200-sxm");
  EXPECT_EQ(result.phase, Phase::training);
  EXPECT_EQ(result.batch, 64);
  EXPECT_EQ(result.count.parameters, 25557032);  // as torchvision counts ResNet-50
  EXPECT_EQ(result.calibration->id, "h200-sxm");
  EXPECT_EQ(result.issued_by, "pytorch");
  ASSERT_TRUE(result.predicted_time());
  EXPECT_GT(result.predicted_time()->value, result.limit.time->value);
  EXPECT_THROW((void)predict_case(resnet50, "h2000"), Error);
}

// Workspaces of ResNet-18's step on an H100 lie in what the allocator's segments would leave over:
// they take nothing more, and not less than nothing.
TEST(PredictCase, AnAssumedWorkspaceIsNotNegative) {
  const KnownCalibrations known = KnownCalibrations::built_in();
  const device::Device h100 = device_named("h100-sxm");
  const std::optional<CalibratedModel> model = known.model_for(h100);
  ASSERT_TRUE(model);
  for (const std::int64_t batch : {1, 16, 32, 64}) {
    const predict::MemoryEstimate memory =
        memory_of(scheduled("resnet18", batch, Phase::training), h100, &*model);
    ASSERT_FALSE(memory.assumed.empty());
    for (const predict::AssumedMemory& each : memory.assumed) {
      EXPECT_GE(each.expected, Bytes(0)) << each.part << " at batch " << batch;
      EXPECT_GE(each.most, each.expected) << each.part << " at batch " << batch;
    }
  }
}

}  // namespace
}  // namespace rooflab::analyze
