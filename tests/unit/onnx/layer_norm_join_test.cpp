// Layer norms as the old exporter writes them before operator set 17.

#include <gtest/gtest.h>

#include "graph_words.hpp"
#include "onnx_writer.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;

/// What the norm of x [2, 5, 8] is made of.
struct WrittenNorm {
  Dims axes = {-1};
  float power = 2.0F;
  std::string centred = "d";  ///< what is squared
  Dims weight = {8};          ///< empty: none
  Dims bias = {8};
};

graph::Graph norm(const WrittenNorm& written) {
  const std::vector<std::string> over = {attribute("axes", written.axes),
                                         attribute("keepdims", std::int64_t{1})};
  GraphWriter graph;
  graph.input("x", {2, 5, 8})
      .initializer(floats("power", {written.power}, true))
      .initializer(floats("epsilon", {1e-3F}, true))
      .add({"ReduceMean", {"x"}, {"m"}, over})
      .add({"Sub", {"x", "m"}, {"d"}})
      .add({"Pow", {written.centred, "power"}, {"p"}})
      .add({"ReduceMean", {"p"}, {"v"}, over})
      .add({"Add", {"v", "epsilon"}, {"s"}})
      .add({"Sqrt", {"s"}, {"r"}})
      .add({"Div", {"d", "r"}, {"n"}});
  std::string last = "n";
  if (!written.weight.empty()) {
    graph.initializer(weight("norm.weight", written.weight))
        .add({"Mul", {last, "norm.weight"}, {"w"}});
    last = "w";
  }
  if (!written.bias.empty()) {
    graph.initializer(weight("norm.bias", written.bias)).add({"Add", {last, "norm.bias"}, {"b"}});
    last = "b";
  }
  graph.add({"Relu", {last}, {"y"}}).output("y");
  return read_onnx_bytes(model(graph, 13), "m.onnx").graph;
}

TEST(LayerNormJoin, NineOpsAreOne) {
  const graph::Graph graph = norm({});
  ASSERT_EQ(ops_of(graph), "layer_norm relu");
  EXPECT_EQ(operands_of(graph, graph.nodes[0]), "x norm.weight norm.bias");
  const auto& op = std::get<graph::LayerNorm>(graph.nodes[0].op);
  EXPECT_EQ(op.normalized_rank, 1);
  EXPECT_EQ(op.epsilon, 1e-3);
  EXPECT_EQ(graph.nodes[0].name, "norm");
}

TEST(LayerNormJoin, OverSeveralAxes) {
  const graph::Graph graph = norm({.axes = {-2, -1}, .weight = {5, 8}, .bias = {5, 8}});
  ASSERT_EQ(ops_of(graph), "layer_norm relu");
  EXPECT_EQ(std::get<graph::LayerNorm>(graph.nodes[0].op).normalized_rank, 2);
}

TEST(LayerNormJoin, WithoutBiasAndWithoutBoth) {
  const graph::Graph scaled = norm({.bias = {}});
  ASSERT_EQ(ops_of(scaled), "layer_norm relu");
  EXPECT_EQ(operands_of(scaled, scaled.nodes[0]), "x norm.weight");
  EXPECT_EQ(ops_of(norm({.weight = {}, .bias = {}})), "layer_norm relu");
}

TEST(LayerNormJoin, OperandsThatAreNotItsOwnStayOps) {
  EXPECT_EQ(ops_of(norm({.weight = {1}})), "layer_norm mul add relu");
  EXPECT_EQ(ops_of(norm({.bias = {5, 8}})), "layer_norm add relu");
  EXPECT_EQ(ops_of(norm({.weight = {}})), "layer_norm add relu");  // a bias alone
}

TEST(LayerNormJoin, OtherMeansStay) {
  // Over the middle axis, of another power, of what is not centred.
  EXPECT_EQ(ops_of(norm({.axes = {1}})), "mean sub pow mean add sqrt div mul add relu");
  EXPECT_EQ(ops_of(norm({.power = 4.0F})), "mean sub pow mean add sqrt div mul add relu");
  EXPECT_EQ(ops_of(norm({.centred = "x"})), "mean sub pow mean add sqrt div mul add relu");
}

}  // namespace
}  // namespace rooflab::onnx
