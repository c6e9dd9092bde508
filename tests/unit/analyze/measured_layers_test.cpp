#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.hpp"
#include "rooflab/analyze/measured_case.hpp"

namespace rooflab::analyze {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MeasuredLayers layers_of(const record::Record& record) {
  return measured_case_of(record, toy_catalog()).layers;
}

record::Record with_layers() {
  record::Record record = toy_record({5.8, 5.8, 5.8, 5.8, 5.8, 5.8});
  record.layers = toy_layers();
  return record;
}

TEST(MeasuredLayers, JoinedWithTheModelByName) {
  const MeasuredLayers result = layers_of(with_layers());
  ASSERT_EQ(result.layers.size(), 2U);
  const MeasuredLayer& first = result.layers[0];
  EXPECT_EQ(first.timing.node, "first");
  EXPECT_EQ(first.op_class, OpClass::activation);
  EXPECT_DOUBLE_EQ(first.time_s(), 3.0);
  EXPECT_EQ(first.flops, Flops(16));
  EXPECT_EQ(first.bytes, Bytes(128));
  EXPECT_NEAR(first.limit->value, 1.28, 1e-12);
  EXPECT_EQ(first.bound, predict::Bound::memory);
  EXPECT_DOUBLE_EQ(*first.time_share, 0.6);
  EXPECT_NEAR(*first.limit_ratio(), 3.0 / 1.28, 1e-12);
}

// Forward and backward of both; the whole has the limit of no layer.
TEST(MeasuredLayers, TotalsAreTheSumAndTheWhole) {
  record::Record record = with_layers();
  record.layers->nodes[0].backward_s = 4.0;
  const std::vector<MeasuredLayer> totals = layers_of(record).totals;
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_DOUBLE_EQ(totals[0].timing.forward_s, 5.0);
  EXPECT_DOUBLE_EQ(*totals[0].timing.backward_s, 4.0);
  EXPECT_NEAR(*totals[0].limit_ratio(), 9.0 / 2.56, 1e-12);
  EXPECT_DOUBLE_EQ(totals[1].timing.forward_s, 6.0);
  EXPECT_FALSE(totals[1].timing.backward_s);
  EXPECT_FALSE(totals[1].limit_ratio());
}

TEST(MeasuredLayers, RowsWithoutANodeKeepTheirTime) {
  record::Record record = with_layers();
  record.layers->nodes.push_back({"(optimizer)", "sgd", 1.0, {}, {}, {}});
  const MeasuredLayers result = layers_of(record);
  const MeasuredLayer& optimizer = result.layers.back();
  EXPECT_EQ(optimizer.op_class, OpClass::optimizer);
  EXPECT_FALSE(optimizer.flops);
  EXPECT_FALSE(optimizer.limit);
}

// Backward counts in: 3 + 4 of the first, 2 of the second.
TEST(MeasuredLayers, ClassesByFallingTime) {
  record::Record record = with_layers();
  record.layers->nodes[0].backward_s = 4.0;
  record.layers->nodes.push_back({"(loss)", "loss", 11.0, {}, {}, {}});
  const MeasuredLayers result = layers_of(record);
  ASSERT_EQ(result.classes.size(), 2U);
  EXPECT_EQ(result.classes[0].op_class, OpClass::loss);
  EXPECT_DOUBLE_EQ(result.classes[0].time_share, 11.0 / 20.0);
  EXPECT_EQ(result.classes[1].op_class, OpClass::activation);
  EXPECT_EQ(result.classes[1].layers, 2);
  EXPECT_DOUBLE_EQ(result.classes[1].time_s, 9.0);
  EXPECT_NEAR(*result.classes[1].limit_s, 2.56, 1e-12);
  EXPECT_NEAR(*result.classes[1].limit_share, 1.0, 1e-12);
}

// 6 - 5 s lie between ops; 9 - 5.5 s are synchronisation, 1.75 s for each of two.
TEST(MeasuredLayers, TheSumIsExplained) {
  const record::LayerTimes times = toy_layers();
  EXPECT_DOUBLE_EQ(times.between_s(), 1.0);
  EXPECT_DOUBLE_EQ(*times.synchronization_s(), 3.5);
  EXPECT_EQ(times.waits(), 2);
  EXPECT_THAT(
      explain(times, 5.8),
      ElementsAre(
          HasSubstr("add up to 5 s: 83.3 % of the 6 s from the step's first op"),
          HasSubstr("the plain step takes 5.8 s"),
          HasSubstr(
              "takes 9 s instead of 5.5 s: 3.5 s are synchronisation, 1.75 s for each of 2")));
}

TEST(MeasuredLayers, ASumThatExceedsTheWhole) {
  record::LayerTimes times;
  times.sum_s = 7.0;
  times.whole_s = 6.0;
  EXPECT_THAT(explain(times, std::nullopt),
              ElementsAre(HasSubstr("add up to 7 s: 1 s more than the 6 s")));
  EXPECT_FALSE(times.synchronization_s());
}

TEST(MeasuredLayers, NoneWithoutLayerTimes) {
  const MeasuredLayers result = layers_of(toy_record({1.0}));
  EXPECT_TRUE(result.layers.empty());
  EXPECT_TRUE(result.classes.empty());
  EXPECT_TRUE(result.totals.empty());
}

}  // namespace
}  // namespace rooflab::analyze
