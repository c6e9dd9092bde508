#include "rooflab/study/finding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using enum Finding::Kind;

TEST_F(Findings, KindsHaveNames) {
  std::vector<std::string> names;
  for (const Finding::Kind kind :
       {counting_rule, tensor_work, wrong_roof, set_up, allocated_memory, cannot_fit, slip}) {
    names.emplace_back(name_of(kind));
  }
  EXPECT_THAT(names, ElementsAre("counting_rule", "tensor_work", "wrong_roof", "set_up",
                                 "allocated_memory", "cannot_fit", "slip"));
}

// A row that is right in everything: 2 FLOP a byte, our count, our time within 10 %.
TEST_F(Findings, NothingIsSaidOfWhatIsRight) {
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

TEST_F(Findings, NothingIsGuessedWithoutFiguresOfOurs) {
  publish_counted_steps();
  publish_training_runs();
  publish(pass("vgg16", t4), {{"macs", 3.96e12}, {"estimated_time", 0.97777778}, {"time", 3.0}});
  EXPECT_THAT(all(), IsEmpty());
}

// The plan knows the device by the catalog's id, the report by a word that means several.
TEST_F(Findings, DevicesByTheWordOfTheStudy) {
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
