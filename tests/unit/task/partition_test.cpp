#include "rooflab/task/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/describe/parameter.hpp"
#include "task_with_workers.hpp"

namespace rooflab::task {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

/// The fake worker runs the stages.
class Partition : public TaskWithWorkers<PartitionRequest> {
 protected:
  Partition() {
    request_.network.model = "resnet18";
    request_.network.settings.batch = {8};
    request_.target.device = {"h200-sxm", "v100-sxm2-16gb"};
  }
};

TEST_F(Partition, PlansOverTheSlowestLinkThatTheDevicesHave) {
  const analyze::PartitionResult result = run(request_, session_);
  ASSERT_TRUE(result.outcome.plan);
  EXPECT_EQ(result.stages().size(), 2U);
  EXPECT_FALSE(result.run);
  EXPECT_THAT(result.devices, ElementsAre("h200-sxm", "v100-sxm2-16gb"));
  EXPECT_THAT(result.link, StartsWith("NVLink 2"));
}

TEST_F(Partition, RunsThePlanHere) {
  request_.target.device = {"gpu", "cuda:0"};
  request_.link.link = "pcie4";
  request_.measure = true;
  const analyze::PartitionResult result = run(request_, session_);
  EXPECT_THAT(result.devices, ElementsAre("cuda:0", "cuda:0"));
  ASSERT_TRUE(result.run);
  EXPECT_EQ(result.run->status, record::Status::ok);
  EXPECT_TRUE(result.measured_step_s());
}

// resnet18's layer2 ends with node 34: conv1, bn1, relu, maxpool, then blocks of 7 nodes and two
// more where a block begins with a projection.
TEST_F(Partition, PutsOnesOwnCutBesideTheBest) {
  request_.cut = {"layer2"};
  const analyze::PartitionResult result = run(request_, session_);
  ASSERT_TRUE(result.own);
  ASSERT_TRUE(result.outcome.plan);
  EXPECT_EQ(result.own->stages[0].last, "layer2.1.relu_1");
  EXPECT_EQ(result.own->cuts, std::vector<graph::NodeId>{4 + 7 + 7 + 9 + 7});
  EXPECT_GE(result.own->stages.size(), 2U);
  EXPECT_EQ(result.stages().front().planned.last, "layer2.1.relu_1");
}

TEST_F(Partition, CutsAChainBehindSoManyLayers) {
  const Parameter& layer = parameter_of<&ChosenNetwork::layer>();
  request_.network.model.clear();
  request_.network.settings.batch.clear();
  request_.network.layer = {ChainWord::from_word("a=linear(8,8)", layer),
                            ChainWord::from_word("b=relu", layer)};
  request_.network.input = "4x8";
  request_.network.count = {{"a", 5}, {"b", 3}};
  request_.cut = {"a=2"};
  const analyze::PartitionResult result = run(request_, session_);
  ASSERT_TRUE(result.own);
  EXPECT_EQ(result.own->cuts, std::vector<graph::NodeId>{2});
  EXPECT_EQ(result.own->stages[1].first, "a.2");
}

TEST_F(Partition, RefusesACutThatIsNotThere) {
  request_.cut = {"layer22"};
  EXPECT_EQ(error(), "--cut 'layer22': the network has no such layer");
  request_.cut = {"layer1", "layer2"};
  EXPECT_EQ(error(), "--cut has 2 cuts for 2 devices");
}

TEST_F(Partition, RefusesWhatItCannotRun) {
  request_.measure = true;
  EXPECT_EQ(error(), "--measure needs devices that are here, 'h200-sxm' is a name of the catalog");
  request_.target.device = {"cuda:0"};
  EXPECT_EQ(error(), "--device takes two or more, one per stage");
}

}  // namespace
}  // namespace rooflab::task
