#include "rooflab/analyze/case_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "describe/fields.hpp"
#include "networks.hpp"
#include "notes/analyze_notes.hpp"
#include "notes/predict_notes.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "toy_calibration.hpp"

namespace rooflab::analyze {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CaseResult, Tf32IsIgnoredWhereThereIsNone) {
  const CaseResult t4 = case_of("resnet18", "t4", 1, Phase::inference, Precision::tf32);
  EXPECT_THAT(t4.notes, ElementsAre(Note{says.no_tf32, {"Tesla T4"}}));
  ASSERT_TRUE(t4.limit.time);
  EXPECT_EQ(t4.limit.main_path, ArithmeticPath::fp32_vector);
  EXPECT_DOUBLE_EQ(t4.limit.time->value, case_of("resnet18", "t4").limit.time->value);
  const CaseResult a100 =
      case_of("resnet18", "a100-sxm4-40gb", 1, Phase::inference, Precision::tf32);
  EXPECT_THAT(a100.notes, ElementsAre());
  EXPECT_EQ(a100.limit.main_path, ArithmeticPath::tf32_tensor);
}

TEST(CaseResult, Bf16WithoutUnitsHasNoLimitAndSaysWhy) {
  for (const char* device : {"t4", "v100-sxm2-16gb"}) {
    const CaseResult result = case_of("resnet18", device, 1, Phase::inference, Precision::bf16);
    EXPECT_FALSE(result.limit.time) << device;
    EXPECT_FALSE(result.limit.ideal_time) << device;
    EXPECT_FALSE(result.limit.ridge_point) << device;
    EXPECT_FALSE(result.limit.main_path) << device;
    EXPECT_EQ(result.limit.bound, predict::Bound::none) << device;
    ASSERT_THAT(result.notes, ElementsAre(HasCode(says.limit_lacks))) << device;
    EXPECT_THAT(result.notes.front().values.front().text(), HasSubstr("bf16")) << device;
    // What needs no peak is there.
    EXPECT_EQ(result.limit.macs, Macs(1814073344));
    ASSERT_TRUE(result.fit);
    EXPECT_EQ(result.fit->verdict, predict::Verdict::risky);
  }
}

TEST(CaseResult, ADeviceWithoutFiguresHasNeitherLimitNorVerdict) {
  const device::Device bare{.id = "bare", .name = "Bare"};
  const CaseResult result = case_of(scheduled("alexnet"), bare);
  EXPECT_FALSE(result.limit.time);
  EXPECT_FALSE(result.fit);
  EXPECT_THAT(result.notes,
              testing::Contains(Note{says.limit_lacks, {"Bare has no memory bandwidth"}}));
}

TEST(CaseResult, UnknownOpsAreNamed) {
  const CaseResult result =
      case_of(schedule::lower(with_unknown_ops(), {}), device::Catalog::built_in().find("t4"));
  // What they do and take is not known: so is what the whole takes.
  EXPECT_THAT(result.notes,
              ElementsAre(Note{says.answer_not_counted, {std::vector<std::string>{"Fold"}}},
                          Note{says.ops_not_counted, {2, "Fold"}}));
  EXPECT_FALSE(result.fit);
  EXPECT_DOUBLE_EQ(result.count.coverage(), 0.5);
}

// An inverse of 8 x 8 numbers takes no memory to speak of; how long it takes nobody knows.
TEST(CaseResult, ASmallInverseLeavesTheVerdictAndTakesTheTime) {
  graph::GraphBuilder b("net");
  const graph::ValueId x = b.unary(b.input("x", {1000, 1000}), graph::UnaryFunction::relu, "relu");
  const graph::ValueId y = b.add(graph::Opaque{"aten", "linalg_inv", {{8, 8}}, {DType::f32}},
                                 {b.input("y", {8, 8})}, "inverse");
  const schedule::Schedule schedule = schedule::lower(std::move(b).finish({x, y}), {});
  const CaseResult result = predict_case(schedule, device::Catalog::built_in().find("h200-sxm"));
  ASSERT_TRUE(result.fit);
  EXPECT_EQ(result.fit->verdict, predict::Verdict::fits);
  EXPECT_FALSE(result.predicted_time());
  EXPECT_FALSE(result.prediction);
  EXPECT_THAT(result.notes, testing::Contains(Note{says.time_not_counted,
                                                   {std::vector<std::string>{"linalg_inv"}}}));
}

// 464.4 G: batch 256 times the published 1.814 G of one image.
TEST(CaseResult, MacsOfALargeBatch) {
  EXPECT_EQ(case_of("resnet18", "t4", 256, Phase::forward).limit.macs, Macs(464402776064));
}

// Measured with PyTorch on a GPU: what the allocator holds after a forward pass, less before.
TEST(CaseResult, SavedActivationsAsMeasured) {
  const auto saved = [](const char* model) {
    return case_of(model, "t4", 256, Phase::forward).memory.saved_activations.as_double();
  };
  EXPECT_NEAR(saved("resnet18") / 5529157632.0, 1.0, 0.01);
  EXPECT_NEAR(saved("alexnet") / 796762112.0, 1.0, 0.01);
  EXPECT_NEAR(saved("vgg16") / 18619539456.0, 1.0, 0.01);
}

TEST(CaseResult, Vgg16OfBatch256DoesNotFitOnAT4) {
  const CaseResult t4 = case_of("vgg16", "t4", 256, Phase::forward);
  EXPECT_EQ(t4.fit->verdict, predict::Verdict::oom);
  EXPECT_LT(t4.fit->margin, 0.0);
  EXPECT_EQ(case_of("vgg16", "a100-sxm4-40gb", 256, Phase::forward).fit->verdict,
            predict::Verdict::risky);
}

CaseResult predicted(const schedule::Schedule& schedule, const CalibratedModel& model) {
  CaseResult result = case_of(schedule, model.times.target());
  add_prediction(result, schedule, model);
  return result;
}

/// conv with bias, relu, relu.
schedule::Schedule small_network() {
  graph::GraphBuilder b("net");
  graph::ValueId x = b.input("input", {1, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
  x = b.unary(x, graph::UnaryFunction::relu, "block.relu");
  x = b.unary(x, graph::UnaryFunction::relu, "relu");
  return schedule::lower(std::move(b).finish({x}), {});
}

// 100 + 4 + 10 + 10 us.
TEST(CaseResult, APredictionIsTheSumOfTheOps) {
  const schedule::Schedule network = small_network();
  const CaseResult result = predicted(network, toy_model("h200-sxm", false));
  EXPECT_EQ(result.prediction_model, PredictionModel::calibrated);
  ASSERT_TRUE(result.predicted_time());
  EXPECT_NEAR(result.predicted_time()->value, 124e-6, 1e-12);
  EXPECT_LT(result.prediction->low.value, 124e-6);
  EXPECT_GT(result.prediction->high.value, 124e-6);
  EXPECT_EQ(result.calibration->id, "toy");
  EXPECT_EQ(result.calibration->device, "h200-sxm");
  EXPECT_EQ(result.calibration->relation, Relation::own);
  EXPECT_EQ(result.issued_by, "");
  EXPECT_THAT(result.prediction->notes, ElementsAre(Note{says.host_left_out}));
}

// The toy has neither figure: 0.8 us between kernels, of which there are four. Between its
// neighbours in a graph an op takes what it has beyond the shortest one, here an elementwise op of
// 10 us: 90 us and nothing three times.
TEST(CaseResult, AGraphIsNamedAsTheIssuer) {
  CalibratedModel model = toy_model("h200-sxm", true);
  model.graph = predict::graph_replay(model.times);
  const CaseResult result = predicted(small_network(), model);
  EXPECT_EQ(result.issued_by, "graph");
  EXPECT_NEAR(result.predicted_time()->value, (90 + 4 * 0.8) * 1e-6, 1e-10);
  EXPECT_EQ(result.prediction->notes.front().code, NoteCode(predict::says.graph_replay));
  EXPECT_FALSE(result.recorded);
  EXPECT_EQ(result.size_text(), "batch 1");
}

TEST(CaseResult, ARecordedStepSaysItsContext) {
  schedule::Schedule network = small_network();
  network.lives.assign(network.storages.size(), {0, network.ops.size(), true});
  network.context = 512;
  const CaseResult result = predicted(network, toy_model("h200-sxm", false));
  EXPECT_TRUE(result.recorded);
  EXPECT_EQ(result.size_text(), "batch 1, context 512");
  const Json json = to_json(result);
  EXPECT_EQ(json["context"], 512);
  EXPECT_EQ(json["recorded"], true);
  const auto read = from_json<CaseResult>(json, "r.json");
  EXPECT_TRUE(read.recorded);
  EXPECT_EQ(read.context, 512);
  const Json other = to_json(predicted(small_network(), toy_model("h200-sxm", false)));
  EXPECT_FALSE(other.contains("recorded") || other.contains("context"));
}

TEST(CaseResult, ALayerIsPredictedByItsOps) {
  const CaseResult result = predicted(small_network(), toy_model("h200-sxm", false));
  ASSERT_EQ(result.layers.size(), 3U);
  ASSERT_EQ(result.layers[0].name, "conv");
  EXPECT_NEAR(result.layers[0].predicted->value, 104e-6, 1e-12);
  EXPECT_NEAR(result.layers[1].predicted->value, 10e-6, 1e-12);
  EXPECT_NEAR(result.layers[2].predicted->value, 10e-6, 1e-12);
}

// The host needs 4 us a step and is ahead of the device.
TEST(CaseResult, TheHostIsInThePredictionWhereItsCostsAreUsed) {
  const CaseResult result = predicted(small_network(), toy_model("h200-sxm", true));
  EXPECT_NEAR(result.predicted_time()->value, 124e-6, 1e-12);
  EXPECT_NEAR(result.prediction->host.value, 4e-6, 1e-12);  // three nodes and a launch
  EXPECT_EQ(result.issued_by, "pytorch");
  EXPECT_THAT(result.prediction->notes, ElementsAre());
}

TEST(CaseResult, ALayerWithAnUnknownOpHasNoPredictedTime) {
  const CaseResult result =
      predicted(schedule::lower(with_unknown_ops(), {}), toy_model("h200-sxm", false));
  ASSERT_EQ(result.layers.size(), 4U);
  EXPECT_TRUE(result.layers[0].predicted);
  EXPECT_FALSE(result.layers[1].predicted);
  EXPECT_FALSE(result.layers[2].predicted);
  EXPECT_TRUE(result.layers[3].predicted);
  EXPECT_FALSE(result.prediction);
  EXPECT_FALSE(result.predicted_time());
}

TEST(CaseResult, WithoutALimitNothingIsCarriedOver) {
  const schedule::Schedule network = scheduled("alexnet", 1, Phase::inference, Precision::bf16);
  const CaseResult result = predicted(network, toy_model("t4", false));
  EXPECT_FALSE(result.prediction);
  EXPECT_FALSE(result.predicted_time());
  EXPECT_EQ(result.prediction_model, PredictionModel::limit);
  EXPECT_THAT(result.notes,
              testing::Contains(Note{says.no_prediction_without_limit, {"Tesla T4"}}));
}

// Half the arithmetic rate and half the bandwidth: twice the time, and the limit stays.
TEST(CaseResult, ThePercentOfPeakIsATimeOfItsOwn) {
  const schedule::Schedule network = scheduled("alexnet");
  CaseResult result = case_of(network, device::Catalog::built_in().find("t4"));
  EXPECT_FALSE(result.predicted_time());
  const double limit = result.limit.time->value;
  add_percent_of_peak(result, network, {0.5, 0.5});
  EXPECT_EQ(result.prediction_model, PredictionModel::ppp);
  EXPECT_DOUBLE_EQ(result.predicted_time()->value, 2.0 * limit);
  EXPECT_DOUBLE_EQ(result.limit.time->value, limit);
}

// Observed there, with a context of 0.5 GB.
TEST(CaseResult, WhatTheCalibratedDeviceItselfHoldsIsObserved) {
  const schedule::Schedule network = small_network();
  const CalibratedModel model = toy_model("h200-sxm", false);
  const device::Device& device = model.times.target();
  const CaseResult result = analyze_case(network, memory_of(network, device, &model), device, {});
  EXPECT_EQ(result.memory.context, Bytes(500000000));
  EXPECT_THAT(result.memory.assumed, testing::IsEmpty());
  EXPECT_EQ(result.fit->verdict, predict::Verdict::fits);
  EXPECT_EQ(case_of(network, device).fit->verdict, predict::Verdict::risky);
}

// Until 0.1 there were `fits`, `tight` and `oom`.
}  // namespace
}  // namespace rooflab::analyze
