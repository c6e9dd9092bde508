// Group norms as PyTorch's exporters write them before operator set 21.

#include <gtest/gtest.h>

#include "graph_words.hpp"
#include "onnx_writer.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;

/// What the norm of x [2, 6, 4, 4] in 3 groups is made of.
struct WrittenGroups {
  std::vector<float> own_weight = {1.0F, 1.0F, 1.0F};
  std::vector<float> own_bias = {0.0F, 0.0F, 0.0F};
  Dims back = {2, 6, 4, 4};
  Dims weight = {6, 1, 1};
  bool unsqueezes = false;  ///< weight and bias are stored as vectors
};

graph::Graph group_norm(const WrittenGroups& written) {
  GraphWriter graph;
  graph.input("x", {2, 6, 4, 4})
      .initializer(integers("groups", {0, 3, -1}))
      .initializer(integers("back", written.back))
      .initializer(floats("own_weight", written.own_weight))
      .initializer(floats("own_bias", written.own_bias))
      .add({"Reshape", {"x", "groups"}, {"g"}})
      .add({"InstanceNormalization",
            {"g", "own_weight", "own_bias"},
            {"n"},
            {attribute_float("epsilon", 0.125F)}})
      .add({"Reshape", {"n", "back"}, {"r"}});
  if (written.unsqueezes) {
    graph.initializer(integers("axes", {1, 2}))
        .initializer(weight("norm.weight", {6}))
        .initializer(weight("norm.bias", {6}))
        .add({"Unsqueeze", {"norm.weight", "axes"}, {"w"}})
        .add({"Unsqueeze", {"norm.bias", "axes"}, {"b"}});
  } else {
    graph.initializer(weight("w", written.weight)).initializer(weight("b", {6, 1, 1}));
  }
  graph.add({"Mul", {"r", "w"}, {"m"}}).add({"Add", {"m", "b"}, {"s"}});
  graph.add({"Relu", {"s"}, {"y"}}).output("y");
  return read_onnx_bytes(model(graph), "m.onnx").graph;
}

const graph::Shape& shape_of_operand(const graph::Graph& graph, std::size_t i) {
  return graph.type(graph.nodes.at(0).inputs.at(i)).shape;
}

TEST(GroupNormJoin, IsOneOpWithWeightAndBiasOfChannels) {
  const graph::Graph graph = group_norm({.unsqueezes = true});
  ASSERT_EQ(ops_of(graph), "group_norm relu");
  EXPECT_EQ(std::get<graph::GroupNorm>(graph.nodes[0].op), (graph::GroupNorm{3, 0.125}));
  EXPECT_EQ(operands_of(graph, graph.nodes[0]), "x norm.weight norm.bias");
  EXPECT_EQ(graph.type(graph.nodes[0].outputs[0]).shape, (graph::Shape{2, 6, 4, 4}));
  EXPECT_EQ(graph.parameter_elements(), 12);
}

TEST(GroupNormJoin, StoredWithMoreAxesTheyBecomeVectors) {
  const graph::Graph graph = group_norm({});
  ASSERT_EQ(ops_of(graph), "group_norm relu");
  EXPECT_EQ(operands_of(graph, graph.nodes[0]), "x w b");
  EXPECT_EQ(shape_of_operand(graph, 1), graph::Shape{6});
  EXPECT_EQ(shape_of_operand(graph, 2), graph::Shape{6});
}

TEST(GroupNormJoin, OtherFormsStay) {
  const std::string apart = "reshape group_norm reshape mul add relu";
  EXPECT_EQ(ops_of(group_norm({.own_weight = {1.0F, 2.0F, 1.0F}})), apart);
  EXPECT_EQ(ops_of(group_norm({.own_bias = {0.0F, 0.0F, 1.0F}})), apart);
  EXPECT_EQ(ops_of(group_norm({.weight = {6, 4, 4}})), apart);  // a weight for each place
  // Reshaped to something else than x.
  EXPECT_EQ(ops_of(group_norm({.back = {2, 6, 2, 8}})), apart);
}

}  // namespace
}  // namespace rooflab::onnx
