// Cutting built-in networks: stages are sound, hold every parameter once, fit each other, and take
// another batch as the whole does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "rooflab/graph/graph.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {
namespace {

using graph::Graph;
using graph::NodeId;

class Stages : public testing::TestWithParam<std::string> {
 protected:
  /// In three, at possible cuts near the thirds.
  static std::vector<NodeId> thirds(const Graph& whole) {
    const std::vector<NodeId> cuts = graph::possible_cuts(whole);
    return {cuts[cuts.size() / 3], cuts[2 * cuts.size() / 3]};
  }

  /// Every input is the network's, or an earlier stage's output of the same type.
  static void expect_to_fit(const Graph& whole, const std::vector<Graph>& stages) {
    std::map<std::string, graph::TensorType> there;
    for (const graph::ValueId id : whole.inputs) there[whole.value(id).name] = whole.type(id);
    for (const Graph& stage : stages) {
      EXPECT_THAT(graph::verify(stage), testing::IsEmpty());
      for (const graph::ValueId id : stage.inputs) {
        ASSERT_TRUE(there.contains(stage.value(id).name)) << stage.value(id).name;
        EXPECT_EQ(there.at(stage.value(id).name), stage.type(id));
      }
      for (const graph::ValueId id : stage.outputs) {
        there[stage.value(id).name] = stage.type(id);
      }
    }
    for (const graph::ValueId id : whole.outputs) {
      EXPECT_EQ(there.at(whole.value(id).name), whole.type(id));
    }
  }
};

TEST_P(Stages, AreTheNetwork) {
  const Graph whole = build(GetParam(), {.batch = 4});
  const std::vector<NodeId> cuts = thirds(whole);
  const std::vector<Graph> stages = graph::stages_of(whole, cuts);
  std::int64_t parameters = 0;
  std::size_t nodes = 0;
  for (const Graph& stage : stages) {
    parameters += stage.parameter_elements();
    nodes += stage.nodes.size();
  }
  EXPECT_EQ(parameters, whole.parameter_elements());
  EXPECT_EQ(nodes, whole.nodes.size());
  expect_to_fit(whole, stages);

  // A smaller batch of the stages is the stages of a smaller batch.
  const Graph small = build(GetParam(), {.batch = 2});
  const std::vector<Graph> small_stages = graph::stages_of(small, cuts);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Graph rebatched = graph::rebatch(stages[i], 2);
    ASSERT_EQ(rebatched.values.size(), small_stages[i].values.size());
    for (std::size_t k = 0; k < rebatched.values.size(); ++k) {
      EXPECT_EQ(rebatched.values[k].type, small_stages[i].values[k].type)
          << rebatched.values[k].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, Stages,
                         testing::Values("alexnet", "vgg16", "resnet50", "densenet121", "googlenet",
                                         "vit_b_16", "mobilenet_v3_small", "shufflenet_v2_x1_0"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace rooflab::zoo
