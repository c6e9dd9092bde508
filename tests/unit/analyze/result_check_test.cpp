#include "analyze/result_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::analyze {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

/// A step of 10 us: 6 us of one kind, 2 us of another, and 2 us of pauses.
CaseResult consistent() {
  CaseResult result;
  result.prediction_model = PredictionModel::calibrated;
  predict::StepTime& step = result.prediction.emplace();
  step.time = step.device = {10e-6};
  step.low = {9e-6};
  step.high = {12e-6};
  step.kinds = {{.kind = "a", .time_s = 6e-6, .share = 0.6},
                {.kind = "b", .time_s = 2e-6, .share = 0.2},
                {.kind = std::string(predict::gaps_kind), .time_s = 2e-6, .share = 0.2}};
  result.layers.resize(3);
  result.layers[0].predicted = Seconds{5e-6};
  result.layers[1].predicted = Seconds{3e-6};
  result.layers[2].predicted = Seconds{2e-6};
  result.layers[2].name = gaps_row;
  result.memory.reserved = Bytes(700);
  result.memory.context = Bytes(100);
  result.memory.total = Bytes(800);
  result.memory.least_total = Bytes(600);
  result.memory.most_total = Bytes(900);
  result.device.memory = device::Figure{.value = 1000.0};
  result.fit = {predict::Verdict::fits, 0.2};
  return result;
}

TEST(ResultCheck, WhatAddsUpIsNoContradiction) {
  EXPECT_EQ(contradiction_in(consistent()), std::nullopt);
}

TEST(ResultCheck, EachSumIsHeldAgainstItsTotal) {
  CaseResult layers = consistent();
  layers.layers[1].predicted = Seconds{2e-6};
  EXPECT_THAT(contradiction_in(layers), Optional(HasSubstr("layers make 9 us")));
  CaseResult kinds = consistent();
  kinds.prediction->kinds[0].time_s = 7e-6;
  EXPECT_THAT(contradiction_in(kinds), Optional(HasSubstr("kinds of ops make 11 us")));
  CaseResult shares = consistent();
  shares.prediction->kinds[0].share = 0.7;
  EXPECT_THAT(contradiction_in(shares), Optional(HasSubstr("shares")));
  CaseResult memory = consistent();
  memory.memory.total = Bytes(801);
  EXPECT_THAT(contradiction_in(memory), Optional(HasSubstr("its parts make 800 B")));
}

TEST(ResultCheck, AnIntervalHoldsItsTime) {
  CaseResult result = consistent();
  result.prediction->low = {11e-6};
  EXPECT_THAT(contradiction_in(result), Optional(HasSubstr("not within its interval")));
}

TEST(ResultCheck, NoVerdictIsBetterThanItsBytes) {
  CaseResult result = consistent();
  result.memory.most_total = Bytes(901);
  EXPECT_THAT(contradiction_in(result), Optional(HasSubstr("its bytes say 'likely'")));
}

// Files of before there was a row of pauses.
TEST(ResultCheck, WithoutThePausesRowsMayMakeLess) {
  CaseResult result = consistent();
  result.layers.pop_back();
  result.prediction->kinds.pop_back();
  EXPECT_EQ(contradiction_in(result), std::nullopt);
}

TEST(ResultCheck, RowsOfPredictionsMakeTheirTotals) {
  for (const char* const network : {"mobilenet_v2", "resnet18", "vit_b_16"}) {
    for (const char* const id : {"h200-sxm", "b200", "t4", "mi300x"}) {
      for (const Phase phase : {Phase::inference, Phase::training}) {
        const CaseResult result =
            predict_case(zoo::build(network, {.batch = 4}), id, {.phase = phase});
        ASSERT_TRUE(result.prediction) << network << id;
        double layers_s = 0.0;
        for (const LayerRow& row : result.layers) layers_s += row.predicted.value().value;
        EXPECT_NEAR(layers_s / result.prediction->device.value, 1.0, 1e-9) << network << id;
        double kinds_s = 0.0;
        double share = 0.0;
        for (const predict::KindShare& kind : result.prediction->kinds) {
          kinds_s += kind.time_s;
          share += kind.share;
        }
        EXPECT_NEAR(kinds_s / result.prediction->device.value, 1.0, 1e-9) << network << id;
        EXPECT_NEAR(share, 1.0, 1e-9) << network << id;
      }
    }
  }
}

}  // namespace
}  // namespace rooflab::analyze
