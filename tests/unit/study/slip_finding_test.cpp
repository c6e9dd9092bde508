#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using enum Finding::Kind;

// 1,428,386,152 + 2,268,321,104 = 3,696,707,256. The total is the right one: its backward pass
// would be 4,144,604,856 - 1,428,386,152 = 2,716,218,704, as ours.
TEST_F(Findings, TotalThatIsNotTheSum) {
  own_steps_of_alexnet();
  const Attributes where = {{"model", "alexnet"}, {"phase", "training"}, {"batch", "1"}};
  publish(where,
          {{"forward_flops", 1428386152}, {"backward_flops", 2268321104}, {"flops", 4144604856}});
  const std::vector<Finding> found = of(slip);
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
TEST_F(Findings, SumsAndQuotientsThatHold) {
  publish({{"model", "resnet18"}}, {{"forward_flops", 3620020224},
                                    {"backward_flops", 4918296576},
                                    {"flops", 8538316800},
                                    {"forward_bytes", 123513504},
                                    {"backward_bytes", 123513504},
                                    {"intensity", 34.56}});
  publish_counted_steps();
  EXPECT_THAT(all(), IsEmpty());
}

TEST_F(Findings, QuotientsThatDoNotHold) {
  publish({{"model", "resnet18"}}, {{"counted_flops", 8e9},
                                    {"dram_bytes", 4e9},
                                    {"intensity", 2.03},
                                    {"time", 0.5},
                                    {"throughput", 16.2e9}});
  const std::vector<Finding> found = of(slip);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].subject, "resnet18");
  EXPECT_EQ(found[0].sentence,
            "intensity is printed as 2.03 FLOP/B, which is no quotient of the row's own figures");
  EXPECT_THAT(found[0].evidence, ElementsAre("counted_flops / dram_bytes = 8 G / 4 G = 2 FLOP/B"));
  EXPECT_EQ(found[1].sentence,
            "throughput is printed as 16.2 GFLOP/s, which is no quotient of the row's own figures");
  EXPECT_THAT(found[1].evidence, ElementsAre("counted_flops / time = 8 G / 500 m = 16 GFLOP/s"));
}

TEST_F(Findings, BytesOfTheParameters) {
  publish({{"model", "a"}}, {{"parameters", 1e6}, {"parameter_memory", 4e6}});
  publish({{"model", "b"}}, {{"parameters", 1e6}, {"parameter_memory", 3e6}});
  EXPECT_THAT(sentences(slip),
              ElementsAre("3 MB of parameters are not 1 M parameters of 1, 2, 4 or 8 bytes each"));
}

}  // namespace
}  // namespace rooflab::study
