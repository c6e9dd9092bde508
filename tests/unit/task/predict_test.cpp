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

}  // namespace
}  // namespace rooflab::task
