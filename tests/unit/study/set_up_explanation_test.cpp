#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using enum Explanation::Kind;

// Line through (0.04602, 3.07), (0.013952, 3.02), (0.175641, 3.43): slope 2.61, constant 2.97.
TEST_F(Explanations, TimesThatHardlyChangeWithTheWork) {
  own_passes_of_256(a100);
  own_passes_of_256(t4);
  publish(pass("resnet18", a100), {{"time", 3.07}});
  publish(pass("alexnet", a100), {{"time", 3.02}});
  publish(pass("vgg16", a100), {{"time", 3.43}});
  publish(pass("resnet18", t4), {{"time", 2.85}});
  publish(pass("alexnet", t4), {{"time", 3.02}});
  const std::vector<Explanation> found = of(set_up);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].subject, "resnet18, alexnet, vgg16 on a100-sxm4-40gb");
  EXPECT_EQ(
      found[0].sentence,
      "12.6 times the work takes only 1.14 times as long: about 2.97 s of each time are set-up, "
      "which does not depend on the network");
  EXPECT_THAT(found[0].evidence,
              ElementsAre("resnet18 on a100-sxm4-40gb, forward, batch 256: published 3.07 s, our "
                          "prediction 46.02 ms (1.5 %)",
                          "alexnet on a100-sxm4-40gb, forward, batch 256: published 3.02 s, our "
                          "prediction 13.95 ms (0.46 %)",
                          "vgg16 on a100-sxm4-40gb, forward, batch 256: published 3.43 s, our "
                          "prediction 175.6 ms (5.1 %)",
                          "least squares: published time = 2.97 s + 2.61 times ours"));
  EXPECT_THAT(found[0].figures,
              ElementsAre(Explanation::Printed{0, "time"}, Explanation::Printed{1, "time"},
                          Explanation::Printed{2, "time"}));
  // The larger network is the faster one: the slope is no less than 0, the constant the mean.
  EXPECT_THAT(found[1].evidence, Contains("least squares: published time = 2.94 s + 0 times ours"));
}

TEST_F(Explanations, SetUpInTrainingRuns) {
  own_steps_of_resnet18();
  own_steps_of_resnet50();
  publish_training_runs();
  EXPECT_THAT(subjects(set_up), ElementsAre("resnet18, resnet50 on v100-sxm2-16gb",
                                            "resnet18, resnet50 on a100-sxm4-40gb"));
  EXPECT_THAT(of(set_up).front().sentence, HasSubstr("about 199 ms of each time"));
}

TEST_F(Explanations, SetUpInOneTime) {
  own_passes_of_256(a100);
  publish(pass("resnet18", a100), {{"time", 3.07}});
  EXPECT_THAT(sentences(set_up),
              ElementsAre("3.07 s is 66.7 times our prediction of 46.02 ms: nearly all of it is "
                          "set-up, or it is the time of more than one forward pass"));
}

TEST_F(Explanations, FirstCallsOfOursStandBesideIt) {
  own({{"model", "resnet18"},
       {"device", a100},
       {"batch", "256"},
       {"phase", "forward"},
       {"mode", "measure"}},
      {{"time", 0.012}, {"first_call", 1.5}});
  publish(pass("resnet18", a100), {{"time", 3.07}});
  ASSERT_THAT(of(set_up), SizeIs(1));
  EXPECT_THAT(of(set_up).front().evidence,
              Contains("our measurement of resnet18 on a100-sxm4-40gb, forward, batch 256: first "
                       "call 1.5 s"));
}

TEST_F(Explanations, NoSetUp) {
  own_steps_of_resnet18();
  own_steps_of_alexnet();
  publish_counted_steps();  // milliseconds, as ours
  own_passes_of_256(a100);
  publish(pass("vgg16", a100), {{"time", 84.09}}).source = "more likely an epoch";
  publish(pass("resnet18", a100), {{"time", 0.06}}).source = "as ours";
  EXPECT_THAT(of(set_up), IsEmpty());
}

// 30 ms compared with our 0.9 ms: that may be what a slow host takes to issue a pass.
TEST_F(Explanations, SlowHostsAreNoSetUp) {
  own_steps_of_resnet18();
  Attributes where = step("resnet18", v100);
  where["phase"] = "inference";
  publish(where, {{"time", 0.03}});
  EXPECT_THAT(of(set_up), IsEmpty());
}

// 12.0613 s and 55.5823 s against 12.23 ms and 56.23 ms: in proportion, so nothing of it is set-up.
TEST_F(Explanations, TimesInProportionToTheWorkAreNoSetUp) {
  own_time("resnet18", 0.01223, 0.0104, 0.0144);
  own_time("vgg16", 0.05623, 0.0478, 0.0661);
  publish(pass("resnet18", h200), {{"time", 12.0613}});
  publish(pass("vgg16", h200), {{"time", 55.5823}});
  EXPECT_THAT(of(set_up), IsEmpty());
  // 200 steps of each.
  study_.published.clear();
  publish(pass("resnet18", h200), {{"time", 2.4}});
  publish(pass("vgg16", h200), {{"time", 11.2}});
  EXPECT_THAT(all(), IsEmpty());
}

// A time by itself may be set-up, whatever its ratio; near 1000 the sentence has a third reading.
TEST_F(Explanations, OneTimeDoesNotTellItsUnit) {
  own_time("resnet18", 0.01223, 0.0104, 0.0144);
  publish(pass("resnet18", h200), {{"time", 12.0613}});
  EXPECT_THAT(sentences(set_up),
              ElementsAre("12.06 s is 986 times our prediction of 12.23 ms: nearly all of it is "
                          "set-up, or it is the time of more than one forward pass, or "
                          "milliseconds were printed as seconds"));
  EXPECT_THAT(of(slip), IsEmpty());
}

// 562 times ours, as on the T4 of the third study.
TEST_F(Explanations, HundredsOfTimesOursStaySetUp) {
  own_time("alexnet", 0.00537, 0.0029, 0.0080);
  publish(pass("alexnet", h200), {{"time", 3.02}});
  EXPECT_THAT(sentences(set_up),
              ElementsAre("3.02 s is 562 times our prediction of 5.37 ms: nearly all of it is "
                          "set-up, or it is the time of more than one forward pass"));
}

// The first run of three has the set-up in it, the others do not.
TEST_F(Explanations, SetUpInTheFirstOfSeveralTimes) {
  own_passes_of_256(a100);
  publish(pass("resnet18", a100), {{"time", 3.07}});
  publish(pass("alexnet", a100), {{"time", 0.015}});
  publish(pass("vgg16", a100), {{"time", 0.18}});
  EXPECT_THAT(subjects(set_up), ElementsAre("resnet18 on a100-sxm4-40gb, forward, batch 256"));
}

// Work 3.82-fold, times 1.89-fold: the line's constant is 0.62 s, but the times follow the work.
TEST_F(Explanations, TimesThatGrowWithTheWork) {
  own_passes_of_256(a100);
  publish(pass("resnet18", a100), {{"time", 0.9}});
  publish(pass("vgg16", a100), {{"time", 1.7}});
  EXPECT_THAT(of(set_up), IsEmpty());
}

}  // namespace
}  // namespace rooflab::study
