// What holds for the lifetimes of every built-in network's values, in training and in evaluation.

#include <gtest/gtest.h>

#include <algorithm>

#include "rooflab/graph/graph.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;
using graph::ValueKind;

class Lifetimes : public testing::TestWithParam<bool> {
 protected:
  static bool runs(const Node& node) { return GetParam() || !node.training_only; }

  /// Outputs, and in training what a side path returns.
  static bool is_returned(const Graph& graph, ValueId id) {
    if (std::ranges::find(graph.outputs, id) != graph.outputs.end()) return true;
    const Node& producer = graph.nodes[static_cast<std::size_t>(graph.value(id).producer)];
    return producer.training_only && std::ranges::none_of(graph.nodes, [id](const Node& node) {
             return std::ranges::find(node.inputs, id) != node.inputs.end();
           });
  }
};

TEST_P(Lifetimes, EveryResultIsDroppedOnceAndNeverBeforeItsLastReader) {
  for (const ModelInfo& model : models()) {
    const Graph graph = build(model.name);
    const auto dropped = graph::dropped_after(graph, GetParam());
    ASSERT_EQ(dropped.size(), graph.nodes.size()) << model.name;
    std::vector<int> drops(graph.values.size(), 0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      if (!runs(graph.nodes[i])) {
        EXPECT_TRUE(dropped[i].empty()) << model.name << ": " << graph.nodes[i].name;
        continue;
      }
      for (const ValueId id : graph.nodes[i].inputs) {
        EXPECT_EQ(drops[static_cast<std::size_t>(id)], 0)
            << model.name << ": " << graph.nodes[i].name << " reads " << graph.value(id).name;
      }
      for (const ValueId id : dropped[i]) {
        ++drops[static_cast<std::size_t>(id)];
        EXPECT_EQ(graph.value(id).kind, ValueKind::result) << model.name;
        EXPECT_LE(graph.value(id).producer, static_cast<graph::NodeId>(i))
            << model.name << ": " << graph.value(id).name << " is dropped before it is made";
      }
    }
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (graph.value(id).kind != ValueKind::result) continue;
      const bool made = runs(graph.nodes[static_cast<std::size_t>(graph.value(id).producer)]);
      EXPECT_EQ(drops[i], made && !is_returned(graph, id) ? 1 : 0)
          << model.name << ": " << graph.value(id).name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Lifetimes, testing::Bool(),
                         [](const auto& test) { return test.param ? "training" : "evaluation"; });

}  // namespace
}  // namespace rooflab::zoo
