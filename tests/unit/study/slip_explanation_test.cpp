#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using enum Explanation::Kind;

// 1,428,386,152 + 2,268,321,104 = 3,696,707,256. The total is the right one: its backward pass
// would be 4,144,604,856 - 1,428,386,152 = 2,716,218,704, as ours.
TEST_F(Explanations, TotalThatIsNotTheSum) {
  own_steps_of_alexnet();
  const Attributes where = {{"model", "alexnet"}, {"phase", "training"}, {"batch", "1"}};
  publish(where,
          {{"forward_flops", 1428386152}, {"backward_flops", 2268321104}, {"flops", 4144604856}});
  const std::vector<Explanation> found = of(slip);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].sentence,
            "flops is printed as 4.145 GFLOP, but forward_flops and backward_flops add up to 3.697 "
            "GFLOP");
  EXPECT_THAT(found[0].evidence,
              ElementsAre("1.428 GFLOP + 2.268 GFLOP = 3.697 GFLOP, not 4.145 GFLOP",
                          "the printed flops would need a backward_flops of 2.716 GFLOP",
                          "our counts of matrix work: forward 1.428 GFLOP, backward 2.716 GFLOP, "
                          "together 4.145 GFLOP"));
}

// 3,620,020,224 + 4,918,296,576 over 2 * 123,513,504 is 34.56.
TEST_F(Explanations, SumsAndQuotientsThatHold) {
  publish({{"model", "resnet18"}}, {{"forward_flops", 3620020224},
                                    {"backward_flops", 4918296576},
                                    {"flops", 8538316800},
                                    {"forward_bytes", 123513504},
                                    {"backward_bytes", 123513504},
                                    {"intensity", 34.56}});
  publish_counted_steps();
  EXPECT_THAT(all(), IsEmpty());
}

TEST_F(Explanations, QuotientsThatDoNotHold) {
  publish({{"model", "resnet18"}}, {{"counted_flops", 8e9},
                                    {"dram_bytes", 4e9},
                                    {"intensity", 2.03},
                                    {"time", 0.5},
                                    {"throughput", 16.2e9}});
  const std::vector<Explanation> found = of(slip);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].subject, "resnet18");
  EXPECT_EQ(
      found[0].sentence,
      "intensity is printed as 2.03 FLOP/B, which is not a quotient of the row's own figures");
  EXPECT_THAT(found[0].evidence, ElementsAre("counted_flops / dram_bytes = 8 G / 4 G = 2 FLOP/B"));
  EXPECT_EQ(
      found[1].sentence,
      "throughput is printed as 16.2 GFLOP/s, which is not a quotient of the row's own figures");
  EXPECT_THAT(found[1].evidence, ElementsAre("counted_flops / time = 8 G / 500 m = 16 GFLOP/s"));
}

// 12.0613 / 12.23 and 55.5823 / 56.23: 986 and 988 times ours, at 4.6 times the work.
TEST_F(Explanations, MillisecondsPrintedAsSeconds) {
  own_time("resnet18", 0.01223, 0.0104, 0.0144);
  own_time("vgg16", 0.05623, 0.0478, 0.0661);
  publish(pass("resnet18", h200), {{"time", 12.0613}});
  publish(pass("vgg16", h200), {{"time", 55.5823}});
  const std::vector<Explanation> found = all();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, slip);
  EXPECT_EQ(found[0].subject, "resnet18, vgg16 on h200-sxm");
  EXPECT_EQ(found[0].sentence,
            "the times are 1000 times ours, each within our interval or 10 %, and grow as the work "
            "does: milliseconds that were printed as seconds");
  EXPECT_THAT(found[0].evidence,
              ElementsAre("resnet18 on h200-sxm, forward, batch 256: published 12.06 s, our "
                          "prediction 12.23 ms (10.4 ms to 14.4 ms), ratio 986",
                          "vgg16 on h200-sxm, forward, batch 256: published 55.58 s, our "
                          "prediction 56.23 ms (47.8 ms to 66.1 ms), ratio 988",
                          "the work differs 4.6-fold, the times 4.61-fold; as many steps of each "
                          "would look the same"));
}

// In fp32, which the rows are not, the same takes 2 to 4 times as long.
TEST_F(Explanations, UnitsBesideTimesOfTheRowsOwnPrecision) {
  for (const auto& [model, tf32, fp32] :
       {std::tuple{"resnet18", 0.01223, 0.02683}, std::tuple{"vgg16", 0.05623, 0.22192}}) {
    own_time(model, tf32, 0.9 * tf32, 1.1 * tf32);
    Attributes other = pass(model, h200);
    other["precision"] = "fp32";
    own(other, {{"time", fp32}});
  }
  publish(pass("resnet18", h200), {{"time", 12.0613}});
  publish(pass("vgg16", h200), {{"time", 55.5823}});
  EXPECT_THAT(subjects(slip), ElementsAre("resnet18, vgg16 on h200-sxm"));
}

// No interval of ours: 10 %.
TEST_F(Explanations, UnitsBesideTimesWithoutIntervals) {
  own_passes_of_256(a100);
  const auto publish_times = [&](double factor) {
    study_.published.clear();
    publish(pass("resnet18", a100), {{"time", 0.0460 * factor}});
    publish(pass("vgg16", a100), {{"time", 0.1756 * factor}});
  };
  publish_times(1e6 * 1.08);
  EXPECT_THAT(sentences(slip),
              ElementsAre(testing::EndsWith("microseconds that were printed as seconds")));
  publish_times(1e-3 * 0.93);
  EXPECT_THAT(sentences(slip),
              ElementsAre(testing::EndsWith("seconds that were printed as milliseconds")));
  publish_times(1e-3 * 0.8);
  EXPECT_THAT(all(), IsEmpty());
  publish_times(1e3 * 0.8);  // 800 steps
  EXPECT_THAT(all(), IsEmpty());
  publish_times(1.0);
  EXPECT_THAT(all(), IsEmpty());
}

// Divided by the 1024 images of the batch.
TEST_F(Explanations, TimesOfOneImageAreNoUnit) {
  for (const auto& [model, time] : {std::pair{"resnet18", 0.05}, std::pair{"vgg16", 0.23}}) {
    Attributes where = pass(model, h200);
    where["batch"] = "1024";
    own(where, {{"time", time}});
    publish(where, {{"time", time / 1024}});
  }
  EXPECT_THAT(all(), IsEmpty());
}

TEST_F(Explanations, BytesOfTheParameters) {
  publish({{"model", "a"}}, {{"parameters", 1e6}, {"parameter_memory", 4e6}});
  publish({{"model", "b"}}, {{"parameters", 1e6}, {"parameter_memory", 3e6}});
  EXPECT_THAT(sentences(slip),
              ElementsAre("3 MB of parameters are not 1 M parameters of 1, 2, 4 or 8 bytes each"));
}

}  // namespace
}  // namespace rooflab::study
