#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/graph/graph.hpp"
#include "rooflab/zoo/zoo.hpp"

// Properties of the rewrites and of the text form over every built-in network and variant.
namespace rooflab::graph {
namespace {

struct Case {
  std::string model;
  std::string variant;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const zoo::ModelInfo& model : zoo::models()) {
    cases.push_back({model.name, ""});
    for (const zoo::VariantInfo& variant : model.variants) {
      cases.push_back({model.name, variant.name});
    }
  }
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return info.param.model + (info.param.variant.empty() ? "" : "_" + info.param.variant);
}

class EveryNetwork : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static Graph build(std::int64_t batch) {
    zoo::BuildOptions options;
    options.batch = batch;
    options.variant = GetParam().variant;
    return zoo::build(GetParam().model, options);
  }
};

TEST_P(EveryNetwork, RebatchedEqualsBuiltWithThatBatch) {
  const Graph one = build(1);
  EXPECT_EQ(to_text(rebatch(one, 3)), to_text(build(3)));
  EXPECT_EQ(to_text(rebatch(build(4), 1)), to_text(one));
}

TEST_P(EveryNetwork, TextFormReadsBackTheSame) {
  const Graph graph = build(2);
  const std::string text = to_text(graph);
  const Graph back = parse_text(text, "network.graph");
  EXPECT_EQ(to_text(back), text);
  ASSERT_EQ(back.nodes.size(), graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    EXPECT_EQ(back.nodes[i].op, graph.nodes[i].op) << graph.nodes[i].name;
  }
}

TEST_P(EveryNetwork, SwappingReluAndPoolKeepsItSound) {
  const Graph graph = build(2);
  const SwapReluPoolResult swapped = swap_relu_pool(graph);
  EXPECT_THAT(verify(swapped.graph), testing::IsEmpty());
  EXPECT_EQ(swapped.graph.parameter_elements(), graph.parameter_elements());
  EXPECT_EQ(swapped.graph.type(swapped.graph.outputs.front()), graph.type(graph.outputs.front()));
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetwork, testing::ValuesIn(all_cases()), case_name);

/// ReLUs directly before a max pooling in the published networks.
TEST(SwapReluPoolOfNetworks, FindsThePublishedPairs) {
  EXPECT_EQ(swap_relu_pool(zoo::build("alexnet")).swapped, 3);
  EXPECT_EQ(swap_relu_pool(zoo::build("vgg16")).swapped, 5);
  EXPECT_EQ(swap_relu_pool(zoo::build("resnet18")).swapped, 1);
}

}  // namespace
}  // namespace rooflab::graph
