#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using enum Explanation::Kind;

// Activations that are kept: 5.525, 0.794, 18.62 GB. Traffic is 3 to 5 times that.
TEST_F(Explanations, MemoryTakenForTraffic) {
  own_passes_of_256(a100);
  publish(pass("resnet18", a100), {{"dram_bytes", 5529157632}});
  publish(pass("alexnet", a100), {{"dram_bytes", 796762112}});
  publish(pass("vgg16", a100), {{"dram_bytes", 18619539456}});
  const std::vector<Explanation> found = of(allocated_memory);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].sentence,
            "dram_bytes is memory that is held, not traffic: 5.529 GB against our activations held "
            "after the forward pass 5.525 GB");
  EXPECT_THAT(found[0].evidence,
              ElementsAre("5.529 GB / 5.525 GB = 1.001",
                          "every tensor read and written once is 18.42 GB: 3.33 times as much"));
}

// AlexNet's counted 735.3 MB are 0.2 % off the 737.0 MB that a step of one image holds, because
// both are three times its weights. The other rows show that they are traffic.
TEST_F(Explanations, CountedBytesMayComeNearToAMemoryByChance) {
  own_steps_of_resnet18();
  own_steps_of_alexnet();
  publish_counted_steps();
  EXPECT_THAT(of(allocated_memory), IsEmpty());
}

TEST_F(Explanations, OneNetworkDoesNotTellCountedBytes) {
  own_steps_of_alexnet();
  publish(step("alexnet", a100), {{"dram_bytes", 735346944}});
  EXPECT_THAT(of(allocated_memory), IsEmpty());
}

TEST_F(Explanations, OneNumberForMemoryAndTraffic) {
  publish(step("alexnet", a100), {{"dram_bytes", 735346944}, {"memory", 735346944}});
  EXPECT_THAT(sentences(allocated_memory),
              ElementsAre("dram_bytes is memory that is held, not traffic: 735.3 MB against the "
                          "row's own memory 735.3 MB"));
}

// 154.14 + 46.76 + 10175.33 / 2 = 5288.565 MB, over 1555 GB/s 3.401 ms.
TEST_F(Explanations, SumOfSizesTakenForTraffic) {
  own_passes_of_256(a100);
  publish(pass("resnet18", a100), {{"estimated_bytes", 5288565000},
                                   {"estimated_time", 0.00340101},
                                   {"input_memory", 154.14e6},
                                   {"parameter_memory", 46.76e6},
                                   {"activation_memory", 5087.665e6}});
  const std::vector<Explanation> found = of(allocated_memory);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence, HasSubstr("the row's sizes of input, parameters and outputs"));
  EXPECT_THAT(found[0].evidence,
              ElementsAre("5.289 GB / 5.289 GB = 1.000",
                          "every tensor read and written once is 18.42 GB: 3.48 times as much",
                          "the estimated time is these bytes over the bandwidth: 5.289 GB / 1.555 "
                          "TB/s = 3.401 ms"));
}

// The same rule in two networks: 0.957 and 1.139 of what is held, so it is another rule.
TEST_F(Explanations, EstimatedBytesThatOnlyOneNetworkHolds) {
  own_passes_of_256(a100);
  publish(pass("resnet18", a100), {{"estimated_bytes", 5288565000}});
  EXPECT_THAT(of(allocated_memory), SizeIs(1));
  publish(pass("alexnet", a100), {{"estimated_bytes", 904585000}});
  EXPECT_THAT(of(allocated_memory), IsEmpty());
}

// 90,564,086,824 / 5,529,157,632 = 16.38.
TEST_F(Explanations, IntensityOverMemory) {
  const Values values = {
      {"counted_flops", 90564086824}, {"memory", 5529157632}, {"intensity", 16.38}};
  publish(pass("resnet18", a100), values);
  EXPECT_THAT(sentences(allocated_memory),
              ElementsAre("intensity 16.38 FLOP/B is counted_flops over memory that is held, not "
                          "over bytes that are moved"));
  EXPECT_THAT(of(slip), IsEmpty());
}

}  // namespace
}  // namespace rooflab::study
