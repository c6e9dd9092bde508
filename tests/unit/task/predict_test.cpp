#include "rooflab/task/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"

namespace rooflab::task {
namespace {

using ::testing::HasSubstr;

PredictRequest resnet18() {
  PredictRequest request;
  request.grid.models = {"resnet18"};
  request.grid.device = {"t4"};
  return request;
}

PredictResult predicted(const PredictRequest& request) {
  Session session;
  return run(request, session);
}

TEST(Predict, RunsEveryCombinationInOrder) {
  PredictRequest request = resnet18();
  request.grid.device = {"t4", "h200"};
  request.grid.network.batch = {1, 2};
  request.grid.network.phase = {Phase::inference, Phase::training};
  request.grid.network.precision = {Precision::fp32, Precision::fp16};
  const std::vector<analyze::CaseResult> cases = predicted(request).cases;
  ASSERT_EQ(cases.size(), 16U);
  EXPECT_EQ(cases[0].device.id, "t4");
  EXPECT_EQ(cases[1].device.id, "h200-sxm");
  EXPECT_EQ(cases[2].precision, Precision::fp16);
  EXPECT_EQ(cases[4].phase, Phase::training);
  EXPECT_EQ(cases[8].batch, 2);
}

TEST(Predict, SaysHowToRepeatACase) {
  PredictRequest request = resnet18();
  request.grid.device = {"t4", "h200"};
  request.grid.network.batch = {1, 2};
  request.grid.network.phase = {Phase::training};
  request.basis.issued_by = "none";
  EXPECT_EQ(
      predicted(request).cases[3].command,
      "rooflab predict resnet18 --device h200-sxm --batch 2 --phase training --issued-by none");
}

TEST(Predict, LeavesDefaultsOutOfThatLine) {
  EXPECT_EQ(predicted(resnet18()).cases.front().command, "rooflab predict resnet18 --device t4");
}

TEST(Predict, NamesTheFlagsOfAWrongRequest) {
  PredictRequest request = resnet18();
  request.gpus = {1, 2};
  try {
    (void)predicted(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--gpus is for training"));
    EXPECT_EQ(error.hint(), "--phase training");
  }
}

TEST(Predict, ScalesTraining) {
  PredictRequest request = resnet18();
  request.grid.device = {"h200"};
  request.grid.network.batch = {64};
  request.grid.network.phase = {Phase::training};
  request.gpus = {1, 8};
  request.scaling = analyze::ScalingKind::strong;
  const PredictResult result = predicted(request);
  EXPECT_TRUE(result.cases.empty());
  ASSERT_EQ(result.scaled.series.size(), 1U);
  const std::vector<analyze::ScalingRow>& rows = result.scaled.series.front().rows;
  ASSERT_EQ(rows.size(), 2U);
  ASSERT_TRUE(rows[1].predicted.has_value());
  EXPECT_GT(rows[1].predicted->speedup.value_or(0.0), 1.0);
}

// A ReLU of 2 x 4 floats reads and writes 32 bytes each; a linear layer from 4 to 3 multiplies 2 x
// 12 times.
TEST(Predict, TakesSingleLayersUnderTheirOwnNames) {
  PredictRequest request = resnet18();
  request.grid.models.clear();
  request.grid.layers.layer = {"relu", "linear(4,3)", "relu"};
  request.grid.layers.input = {"2x4"};
  const std::vector<analyze::CaseResult> cases = predicted(request).cases;
  ASSERT_EQ(cases.size(), 2U);  // a layer that is named twice counts once
  EXPECT_EQ(cases[0].model, "relu");
  EXPECT_EQ(cases[0].batch, 2);
  EXPECT_EQ(cases[0].limit.compulsory_bytes, Bytes(64));
  EXPECT_EQ(cases[1].model, "linear(4,3)");
  EXPECT_EQ(cases[1].limit.macs, Macs(24));
  EXPECT_EQ(cases[1].command, "rooflab predict --device t4 --layer 'linear(4,3)' --input 2x4");
}

TEST(Predict, GivesEachLayerItsInput) {
  PredictRequest request = resnet18();
  request.grid.models.clear();
  request.grid.layers.layer = {"relu", "relu"};
  request.grid.layers.input = {"2x4", "8x4"};
  const std::vector<analyze::CaseResult> cases = predicted(request).cases;
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[1].batch, 8);
}

// The published layer: 256 x 3 x 224 x 224 floats are 154,140,672 bytes, in and out.
TEST(Predict, HoldsInputAndOutputOfALayer) {
  PredictRequest request = resnet18();
  request.grid.models.clear();
  request.grid.network.phase = {Phase::forward};
  request.grid.layers.layer = {"ReLU"};
  request.grid.layers.input = {"256x3x224x224"};
  const analyze::CaseResult result = predicted(request).cases.front();
  EXPECT_EQ(result.memory.input, Bytes(154'140'672));
  EXPECT_EQ(result.memory.saved_activations, Bytes(154'140'672));
}

// Both keep the same bytes for the backward pass; after the swap the ReLU has a quarter of the
// work.
TEST(Predict, PutsARewriteBesideTheNetworkAsItIs) {
  PredictRequest request = resnet18();
  request.grid.models = {"vgg16"};
  request.grid.layers.rewrite = "swap-relu-maxpool";
  const analyze::CaseResult result = predicted(request).cases.front();
  EXPECT_EQ(result.rewrite, "swap-relu-maxpool");
  ASSERT_TRUE(result.before_rewrite);
  EXPECT_LT(result.limit.compulsory_bytes, result.before_rewrite->compulsory_bytes);
  EXPECT_EQ(result.command, "rooflab predict vgg16 --device t4 --rewrite swap-relu-maxpool");
}

// The batch is divided, the model is not.
TEST(Predict, SeveralDevicesRepeatTheModelAndDivideTheActivations) {
  PredictRequest request = resnet18();
  request.grid.device = {"h200"};
  request.grid.network.batch = {64};
  request.grid.network.phase = {Phase::training};
  request.gpus = {1, 2};
  request.scaling = analyze::ScalingKind::strong;
  const PredictResult result = predicted(request);
  const std::vector<analyze::ScalingRow>& rows = result.scaled.series.front().rows;
  const predict::MemoryEstimate& one = *rows[0].predicted->memory_parts;
  const predict::MemoryEstimate& two = *rows[1].predicted->memory_parts;
  EXPECT_EQ(two.parameters, Bytes(4 * 11'689'512));
  EXPECT_EQ(two.exchange, two.gradients);
  EXPECT_EQ(two.gradients, Bytes(4 * 11'689'512));
  EXPECT_NEAR(two.saved_activations.as_double(), 0.5 * one.saved_activations.as_double(),
              0.001 * one.saved_activations.as_double());
  EXPECT_EQ(rows[1].predicted->all_memory.device_used, two.total * 2);
}

}  // namespace
}  // namespace rooflab::task
