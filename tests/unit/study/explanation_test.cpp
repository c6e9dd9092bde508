#include "study/published/explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using enum Explanation::Kind;

TEST_F(Explanations, KindsHaveNames) {
  EXPECT_THAT(names_of<Explanation::Kind>(),
              ElementsAre("counting_rule", "tensor_work", "wrong_roof", "set_up",
                          "allocated_memory", "cannot_fit", "slip"));
}

// A row that is right in everything: 2 FLOP a byte, our count, our time within 10 %.
TEST_F(Explanations, NothingIsSaidOfWhatIsRight) {
  own_steps_of_resnet18();
  PublishedRow& row = publish(step("resnet18", v100), {{"flops", 10.7e9},
                                                       {"counted_flops", 10.2e9},
                                                       {"dram_bytes", 5.1e9},
                                                       {"counted_intensity", 2.0},
                                                       {"time", 0.0033},
                                                       {"throughput", 3.242e12},
                                                       {"memory", 163e6},
                                                       {"parameters", 11689512}});
  row.used["peak_flops"] = 15.7e12;
  EXPECT_THAT(all(), IsEmpty());
}

TEST_F(Explanations, NothingIsGuessedWithoutFiguresOfOurs) {
  publish_counted_steps();
  publish_training_runs();
  publish(pass("vgg16", t4), {{"macs", 3.96e12}, {"estimated_time", 0.97777778}, {"time", 3.0}});
  EXPECT_THAT(all(), IsEmpty());
}

// A training step of 32 images on a T4: 65.74 GB at 1024 x 1024, 3.4 GB at 224 x 224, which is
// ResNet-50's own size.
TEST_F(Explanations, AnotherImageSizeIsOtherWork) {
  const Attributes step = {
      {"model", "resnet50"}, {"device", t4}, {"batch", "32"}, {"phase", "training"}};
  const auto sized = [&](const char* size) {
    Attributes attributes = step;
    attributes["image-size"] = size;
    return attributes;
  };
  const Values right = {{"time", 0.34}, {"memory", 3.06e9}};
  own(sized("224"),
      {{"memory", 3.06e9}, {"total_memory", 3.4e9}, {"device_memory", 16e9}, {"time", 0.35}});
  own(sized("1024"), {{"total_memory", 65.74e9}, {"device_memory", 16e9}, {"time", 6.9}});
  publish(sized("224"), right);
  publish(step, right);
  publish(sized("320"), right);
  EXPECT_THAT(all(), IsEmpty());
  publish(sized("1024"), right);
  EXPECT_THAT(sentences(cannot_fit), ElementsAre(testing::HasSubstr("needs 65.74 GB")));
}

// The same network as CIFAR's form: 555.4 M multiply-accumulates instead of 1.814 G.
TEST_F(Explanations, AnotherVariantIsAnotherNetwork) {
  const Values plain = {{"macs", 1814073344}, {"flops", 3642773992}, {"matrix_flops", 3628146688}};
  const Values small = {{"macs", 555422720}, {"flops", 1115000000}, {"matrix_flops", 1110845440}};
  const Attributes where = {{"model", "resnet18"}, {"batch", "1"}, {"phase", "inference"}};
  Attributes cifar = where;
  cifar["variant"] = "cifar";
  own(where, plain);
  Attributes ours = cifar;
  ours["image-size"] = "32";
  own(ours, small);
  publish(where, {{"macs", 1.814e9}, {"flops", 3.63e9}});
  publish(cifar, {{"macs", 555.4e6}, {"flops", 1.111e9}});
  EXPECT_THAT(all(), IsEmpty());
  publish(cifar, {{"macs", 1.814e9}});
  EXPECT_THAT(of(counting_rule), SizeIs(1));
}

// A row that does not say so may be of the only form that there is, but not of one of two.
TEST_F(Explanations, SpecialCasesServeWhereTheyAreAlike) {
  const Values ours = {{"macs", 1814073344}, {"flops", 3642773992}, {"matrix_flops", 3628146688}};
  const Attributes where = {{"model", "resnet18"}, {"batch", "1"}, {"phase", "inference"}};
  Attributes special = where;
  special["channels-last"] = "yes";
  special["iterations"] = "20";
  own(special, ours);
  publish(where, {{"flops", 1.814e9}});
  EXPECT_THAT(of(counting_rule), SizeIs(1));
  special["iterations"] = "50";
  own(special, ours);
  EXPECT_THAT(of(counting_rule), SizeIs(1));
  special["rewrite"] = "swap-relu-maxpool";
  own(special, ours);
  EXPECT_THAT(all(), IsEmpty());
}

// The group says that it is CIFAR's form, which the row itself does not.
TEST_F(Explanations, AGroupTellsWhatIsSpecialInItsCases) {
  const Attributes where = {{"model", "resnet18"}, {"batch", "1"}, {"phase", "inference"}};
  Attributes plain = where;
  plain["group"] = "as published";
  Attributes cifar = where;
  cifar["group"] = "small";
  own(plain, {{"macs", 1814073344}});
  Attributes ours = cifar;
  ours["variant"] = "cifar";
  own(ours, {{"macs", 555422720}});
  publish(cifar, {{"macs", 555.4e6}});
  publish(plain, {{"macs", 1.814e9}});
  EXPECT_THAT(all(), IsEmpty());
  publish(plain, {{"macs", 555.4e6}});
  EXPECT_THAT(of(counting_rule), SizeIs(1));
}

// The plan knows the device by the catalog's id, the report by a word that means several.
TEST_F(Explanations, DevicesByTheWordOfTheStudy) {
  own({{"model", "vgg16"},
       {"device", a100},
       {"named", "the A100"},
       {"batch", "256"},
       {"phase", "forward"},
       {"precision", "tf32"}},
      {{"flops", 7928902051840}, {"vector_flops", 8126720000}});
  publish(pass("vgg16", "the A100"), {{"counted_flops", 258692444160}});
  EXPECT_THAT(of(tensor_work), SizeIs(1));
}

}  // namespace
}  // namespace rooflab::study
