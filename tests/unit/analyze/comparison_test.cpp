#include "rooflab/analyze/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.hpp"

namespace rooflab::analyze {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Comparand side(std::vector<double> steps_s) {
  return comparand_of(toy_record(std::move(steps_s)), "x.json");
}

Comparand limit(double time_s) {
  Comparand result;
  result.measured = false;
  result.model = "relus";
  result.batch = 2;
  result.device = "toy";
  result.time_s = time_s;
  return result;
}

// Six steps: the interval is smallest to largest (2 / 2^6 = 3.1 %). 2.0 over 1.0; the ends
// 1.9 / 1.1 = 1.727 and 2.1 / 0.9 = 2.333. Apart altogether: p = 2 / C(12, 6) = 0.0022.
TEST(Comparison, FasterByTheMediansAndSignificant) {
  const Comparison result =
      compare(side({1.9, 2.0, 2.0, 2.01, 1.99, 2.1}), side({0.9, 1.0, 1.0, 1.01, 0.99, 1.1}));
  EXPECT_DOUBLE_EQ(*result.speedup, 2.0);
  EXPECT_NEAR(*result.speedup_low, 1.9 / 1.1, 1e-12);
  EXPECT_NEAR(*result.speedup_high, 2.1 / 0.9, 1e-12);
  EXPECT_EQ(result.difference, Difference::faster);
  EXPECT_EQ(result.verdict, "B is 2.00x faster (1.73 to 2.33), significant");
  const Comparison turned = compare(result.b, result.a);
  EXPECT_EQ(turned.difference, Difference::slower);
  EXPECT_EQ(turned.verdict, "B is 2.00x slower (1.73 to 2.33), significant");
}

// Samples that alternate: nobody can tell them apart.
TEST(Comparison, NoSignificantDifference) {
  const Comparison result =
      compare(side({1.0, 1.2, 1.4, 1.6, 1.8, 2.0}), side({1.1, 1.3, 1.5, 1.7, 1.9, 2.1}));
  EXPECT_EQ(result.difference, Difference::insignificant);
  EXPECT_THAT(result.verdict, HasSubstr("no significant difference (p = 0."));
}

// Three against three: 2 / C(6, 3) = 0.1 at best.
TEST(Comparison, TooFewStepsToSay) {
  const Comparison result = compare(side({2, 2.1, 2.2}), side({1, 1.1, 1.2}));
  EXPECT_EQ(result.difference, Difference::undecided);
  EXPECT_THAT(result.verdict, HasSubstr("too few steps to say"));
  // Four against four: 2 / 70 = 0.029 is enough.
  EXPECT_EQ(compare(side({2, 2.1, 2.2, 2.3}), side({1, 1.1, 1.2, 1.3})).difference,
            Difference::faster);
}

TEST(Comparison, ALimitHasNoSpread) {
  const Comparison result = compare(side({4, 4, 4, 4, 4, 4}), limit(2.0));
  EXPECT_EQ(result.difference, Difference::without_spread);
  EXPECT_DOUBLE_EQ(*result.speedup, 2.0);
  EXPECT_EQ(result.verdict,
            "B is a limit, without spread: it would be 2.00x faster (2.00 to 2.00)");
  EXPECT_THAT(compare(limit(2.0), limit(4.0)).verdict,
              "B's limit is 2.00x slower; limits have no spread");
}

Comparand predicted_side(double low_s, double time_s, double high_s) {
  Comparand result = limit(time_s);
  result.time_of = PredictionModel::calibrated;
  result.time_low_s = low_s;
  result.time_high_s = high_s;
  return result;
}

// 4 s measured of 3.2 s predicted: 1.25 times. The ends of the interval are in it.
TEST(Comparison, MeasuredBesidePredicted) {
  const Comparand measured = side({4, 4, 4, 4, 4, 4});
  const Comparison within = compare(measured, predicted_side(3.0, 3.2, 4.0));
  EXPECT_EQ(within.difference, Difference::as_predicted);
  EXPECT_EQ(within.verdict, "A is as predicted: 1.25x the predicted time, within 3 s to 4 s");
  EXPECT_DOUBLE_EQ(*within.speedup, 1.25);
  EXPECT_DOUBLE_EQ(*within.speedup_low, 1.0);         // 4 / 4
  EXPECT_DOUBLE_EQ(*within.speedup_high, 4.0 / 3.0);  // 4 / 3
  EXPECT_FALSE(within.test);

  const Comparison above = compare(predicted_side(3.0, 3.2, 3.9), measured);
  EXPECT_EQ(above.difference, Difference::slower_than_predicted);
  EXPECT_EQ(above.verdict,
            "B is slower than predicted: 1.25x the predicted time, above 3 s to 3.9 s");
  const Comparison below = compare(measured, predicted_side(4.1, 8.0, 16.0));
  EXPECT_EQ(below.difference, Difference::faster_than_predicted);
  EXPECT_EQ(below.verdict,
            "A is faster than predicted: 0.50x the predicted time, below 4.1 s to 16 s");
}

// 3 / 2 = 1.5; the worst ends 2.5 / 2.5 and 4 / 1.6.
TEST(Comparison, TwoPredictionsHaveTheirIntervals) {
  const Comparison result = compare(predicted_side(2.5, 3.0, 4.0), predicted_side(1.6, 2.0, 2.5));
  EXPECT_EQ(result.difference, Difference::without_spread);
  EXPECT_EQ(result.verdict,
            "no difference that counts: B is predicted to be 1.50x faster (1.000 to 2.50)");
  const Comparand three = predicted_side(2.5, 3.0, 4.0);
  EXPECT_EQ(compare(three, three).verdict,
            "no difference that counts: B is predicted to be as fast (0.62 to 1.60)");
  EXPECT_EQ(compare(three, predicted_side(1.6, 2.0, 2.4)).verdict,
            "B is predicted to be 1.50x faster (1.042 to 2.50)");
  EXPECT_EQ(compare(predicted_side(1.6, 2.0, 2.4), three).verdict,
            "B is predicted to be 1.50x slower (1.042 to 2.50)");
  EXPECT_EQ(compare(predicted_side(2.0, 2.0, 2.0), limit(4.0)).verdict,
            "A is a predicted time, B a limit: B is 2.00x slower (2.00 to 2.00)");
  EXPECT_THAT(compare(predicted_side(2.0, 2.0, 2.0), limit(4.0)).differences,
              ElementsAre("time: predicted time, limit"));
}

TEST(Comparison, APercentOfPeakHasNoSpread) {
  Comparand percent = limit(2.0);
  percent.time_of = PredictionModel::ppp;
  EXPECT_EQ(compare(percent, side({4, 4, 4, 4, 4, 4})).verdict,
            "A is a percent-of-peak time, without spread: B, as measured, is 2.00x slower"
            " (2.00 to 2.00)");
  Comparand twice = percent;
  twice.time_s = 4.0;
  EXPECT_EQ(compare(percent, twice).verdict,
            "B's percent-of-peak time is 2.00x slower; it has no spread");
}

TEST(Comparison, WithoutATime) {
  record::Record record = toy_record();
  record.status = record::Status::oom;
  const Comparison result = compare(side({1, 1}), comparand_of(record, "y.json"));
  EXPECT_EQ(result.difference, Difference::unavailable);
  EXPECT_EQ(result.verdict, "B ran out of memory");
  EXPECT_FALSE(result.speedup);
}

TEST(Comparison, WhatElseDiffers) {
  record::Record other = toy_record({1, 1});
  other.environment.libraries["libtorch"] = "2.1.0";
  other.identity.rewrite = "swap-relu-maxpool";
  other.identity.batch = 4;
  EXPECT_THAT(
      compare(side({1, 1}), comparand_of(other, "y.json")).differences,
      ElementsAre("batch: 2, 4", "libtorch: 2.0.0, 2.1.0", "rewrite: -, swap-relu-maxpool"));
  EXPECT_THAT(compare(side({1, 1}), side({2, 2})).differences, IsEmpty());
}

Comparand named(const std::string& model, const std::string& device, std::int64_t batch = 1) {
  Comparand result;
  result.model = model;
  result.device = device;
  result.batch = batch;
  result.facts["device"] = device;
  result.time_s = 1.0;
  return result;
}

TEST(ComparisonList, OneAgainstOneWhateverTheyAre) {
  const std::vector<Comparand> a = {named("alexnet", "cpu")};
  const std::vector<Comparand> b = {named("vgg16", "cuda:0")};
  const ComparisonList list = compare_all(a, b);
  ASSERT_EQ(list.pairs.size(), 1U);
  EXPECT_THAT(list.pairs[0].differences, Contains("model: alexnet, vgg16"));
}

TEST(ComparisonList, AlikeFirstThenButForTheDevice) {
  const std::vector<Comparand> a = {named("alexnet", "cpu"), named("vgg16", "cpu"),
                                    named("vgg16", "cpu", 8)};
  const std::vector<Comparand> b = {named("vgg16", "cuda:0"), named("alexnet", "cuda:0"),
                                    named("alexnet", "cpu"), named("squeezenet1_0", "cpu")};
  const ComparisonList list = compare_all(a, b);
  ASSERT_EQ(list.pairs.size(), 2U);
  EXPECT_EQ(list.pairs[0].b.device, "cpu");
  EXPECT_EQ(list.pairs[0].b.model, "alexnet");
  EXPECT_EQ(list.pairs[1].b.device, "cuda:0");
  EXPECT_EQ(list.pairs[1].b.model, "vgg16");
  ASSERT_EQ(list.only_a.size(), 1U);
  EXPECT_EQ(list.only_a[0].batch, 8);
  EXPECT_EQ(list.only_b.size(), 2U);
}

TEST(ComparisonList, NothingIsGuessed) {
  const std::vector<Comparand> a = {named("alexnet", "cpu"), named("vgg16", "cpu")};
  const std::vector<Comparand> b = {named("alexnet", "cuda:0"), named("alexnet", "cuda:1")};
  const ComparisonList list = compare_all(a, b);
  EXPECT_TRUE(list.pairs.empty());
  EXPECT_EQ(list.only_a.size(), 2U);
  EXPECT_EQ(list.only_b.size(), 2U);
}

}  // namespace
}  // namespace rooflab::analyze
