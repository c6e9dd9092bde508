#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using enum Explanation::Kind;

// 1,214,372,889 of 8,297,434,213 are 14.6 %; 10.75 - 0.0971 GFLOP of ours are on tensor cores.
TEST_F(Explanations, CountWithoutTensorCores) {
  own_steps_of_resnet18();
  own_steps_of_alexnet();
  publish_counted_steps();
  const std::vector<Explanation> found = of(tensor_work);
  ASSERT_THAT(found, SizeIs(4));
  EXPECT_EQ(found[0].subject, "resnet18 on a100-sxm4-40gb, training, batch 1");
  EXPECT_EQ(
      found[0].sentence,
      "only 1.214 GFLOP of about 8.297 GFLOP were counted: the rest ran on tensor cores, whose "
      "counters were not collected; outside them our count of the training step has 97.15 MFLOP");
  EXPECT_THAT(
      found[0].evidence,
      ElementsAre(
          "counted on v100-sxm2-16gb, which has no such tensor cores: 8.297 GFLOP; 14.6 % "
          "of that were counted here",
          "our count of the training step: 10.75 GFLOP, of which 97.15 MFLOP outside tensor "
          "cores; 11.3 % of it were counted",
          "1.117 GFLOP were counted beyond that: matrix work that did not go to tensor "
          "cores, or work that our count does not have",
          "frameworks let matrix work of such data, convolutions at least, take the path "
          "TF32 tensor of A100 SXM4 40GB unless they are told otherwise"));
  EXPECT_THAT(found[2].sentence, StartsWith("only 1.393 GFLOP of about 4.118 GFLOP were counted"));
}

// 1.6495 / 0.33541 = 4.918 by the counts; 5.030304 / 3.620512 = 1.389 by the times.
TEST_F(Explanations, ConclusionThatFollowsFromTheMissingWork) {
  own_steps_of_resnet18();
  own_steps_of_alexnet();
  publish_counted_steps();
  const std::vector<Explanation> found = of(tensor_work);
  ASSERT_THAT(found, SizeIs(4));
  EXPECT_EQ(found[1].subject,
            "resnet18 on a100-sxm4-40gb, training, batch 1 compared with v100-sxm2-16gb");
  EXPECT_EQ(found[1].sentence,
            "by these counts v100-sxm2-16gb does 4.92 times the FLOP/s of a100-sxm4-40gb; for "
            "equal work v100-sxm2-16gb takes 1.39 times as long: that the former is the more "
            "efficient rests on the missing work");
  EXPECT_THAT(found[1].evidence, Contains("with the work that v100-sxm2-16gb counted: 8.297 GFLOP "
                                          "/ 3.621 ms = 2.292 TFLOP/s"));
  // 1.7175 / 0.88783 = 1.934; 2.397472 / 1.568768 = 1.528.
  EXPECT_THAT(found[3].sentence, AllOf(HasSubstr("does 1.93 times"), HasSubstr("1.53 times")));
}

// Rows that do not say of how many images they are: only the ratio of the two devices is used.
TEST_F(Explanations, CountWithoutTensorCoresOfAnUnknownWindow) {
  own_steps_of_resnet18();
  own_steps_of_resnet50();
  publish_training_runs();
  const std::vector<Explanation> found = of(tensor_work);
  ASSERT_THAT(found, SizeIs(4));
  EXPECT_EQ(
      found[0].sentence,
      "only 2.844 GFLOP of about 23.85 GFLOP were counted: the rest ran on tensor cores, whose "
      "counters were not collected; outside them our count of the training step has 0.9 % of it");
  // 0.223985 / 0.202907 = 1.104, of times that are 60 times ours.
  EXPECT_EQ(
      found[1].sentence,
      "by these counts v100-sxm2-16gb does 9.26 times the FLOP/s of a100-sxm4-40gb; for "
      "equal work a100-sxm4-40gb takes 1.1 times as long, which is hardly the network's time");
  EXPECT_THAT(found[2].sentence, StartsWith("only 4.015 GFLOP of about 71.86 GFLOP were counted"));
}

TEST_F(Explanations, CountWithoutTensorCoresBesideOursAlone) {
  own_passes_of_256(a100);
  publish(pass("vgg16", a100), {{"counted_flops", 258692444160}});
  EXPECT_THAT(sentences(tensor_work),
              ElementsAre("only 258.7 GFLOP of about 7.929 TFLOP were counted: the rest ran on "
                          "tensor cores, whose counters were not collected; outside them our count "
                          "of the forward pass has 8.127 GFLOP"));
}

TEST_F(Explanations, OurStepOfAnotherDeviceTellsWhatTensorCoresLeave) {
  own({{"model", "resnet18"}, {"batch", "1"}, {"phase", "training"}, {"mode", "summary"}},
      {{"flops", 10745557916}, {"vector_flops", 97145756}});
  publish(step("resnet18", a100), {{"counted_flops", 1214372889}});
  EXPECT_THAT(sentences(tensor_work), SizeIs(1));
}

TEST_F(Explanations, NoTensorWorkIsMissing) {
  own_steps_of_resnet18();
  // Half of the step may be a fast convolution.
  publish(step("resnet18", a100), {{"counted_flops", 5e9}}).source = "a";
  // Less than what no tensor core does.
  publish(step("resnet18", a100), {{"counted_flops", 4e7}}).source = "b";
  // Both kinds of cores were counted.
  publish(step("resnet18", a100), {{"counted_flops", 1.2e9}, {"counted_tensor_flops", 9.4e9}})
      .source = "c";
  // This device has no such cores for fp32 data.
  publish(step("resnet18", v100), {{"counted_flops", 1.2e9}}).source = "d";
  // The number of images is not known, and the study has no other device.
  publish({{"model", "resnet18"}, {"device", a100}}, {{"counted_flops", 1.2e9}}).source = "e";
  EXPECT_THAT(of(tensor_work), IsEmpty());
}

}  // namespace
}  // namespace rooflab::study
