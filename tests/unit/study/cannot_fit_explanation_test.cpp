#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using enum Explanation::Kind;

TEST_F(Explanations, LargerThanTheDevice) {
  own_passes_of_256(a100);
  own_passes_of_256(t4);
  publish(pass("vgg16", a100), {{"memory", 18619539456}});
  publish(pass("vgg16", t4), {{"estimated_time", 0.97777778}});
  publish(pass("resnet18", t4), {{"memory", 5524963328}});
  const std::vector<Explanation> found = of(cannot_fit);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].subject, "vgg16 on t4, forward, batch 256");
  EXPECT_EQ(found[0].sentence,
            "the case needs 19.34 GB by our prediction, the device has 16 GB: it cannot run, and "
            "figures of it are estimates");
  EXPECT_THAT(found[0].evidence,
              ElementsAre("3.344 GB more than the device has",
                          "activations that are held after the forward pass: 18.62 GB",
                          "the same source prints 18.62 GB of memory for it on a100-sxm4-40gb"));
}

TEST_F(Explanations, AnotherPhaseMayFit) {
  own_passes_of_256(t4);
  Attributes where = pass("vgg16", t4);
  where["phase"] = "inference";
  publish(where, {{"time", 1.5}});
  where.erase("phase");
  publish(where, {{"time", 1.5}});
  EXPECT_THAT(of(cannot_fit), IsEmpty());
}

// In FP32 it needs 20 GB, under autocast 12 GB: only what fits neither way cannot run.
TEST_F(Explanations, AnotherPrecisionMayFit) {
  Attributes where = {{"model", "vgg16"}, {"device", t4}, {"batch", "128"}, {"phase", "training"}};
  const auto with = [&](const char* precision) {
    Attributes attributes = where;
    attributes["precision"] = precision;
    return attributes;
  };
  own(with("fp32"), {{"total_memory", 20e9}, {"device_memory", 16e9}});
  publish(with("amp"), {{"time", 1.0}});
  EXPECT_THAT(of(cannot_fit), IsEmpty());
  own(with("amp"), {{"total_memory", 12e9}, {"device_memory", 16e9}});
  publish(where, {{"time", 1.0}});
  EXPECT_THAT(of(cannot_fit), IsEmpty());
  publish(with("tf32"), {{"time", 1.0}});
  EXPECT_THAT(sentences(cannot_fit), SizeIs(1));
}

TEST_F(Explanations, MorePublishedMemoryThanTheDeviceHas) {
  publish({{"model", "resnet50"}, {"device", v100}}, {{"memory", 28000e6}});
  publish({{"model", "resnet50"}, {"device", "v100-sxm2-32gb"}}, {{"memory", 28000e6}});
  publish({{"model", "resnet50"}, {"device", v100}, {"gpus", "2"}}, {{"memory", 29108e6}});
  EXPECT_THAT(sentences(cannot_fit),
              ElementsAre("28 GB of memory are more than the 16 GB of Tesla V100 SXM2 16GB: it was "
                          "another device, or this is not its memory"));
}

}  // namespace
}  // namespace rooflab::study
