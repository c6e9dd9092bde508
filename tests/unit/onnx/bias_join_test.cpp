// A product and the Add of its bias, before and after the import.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_words.hpp"
#include "onnx_writer.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;

/// x [2, 7, 3] times w [3, 5], and what is added to the product.
GraphWriter product() {
  GraphWriter graph;
  graph.input("x", {2, 7, 3})
      .initializer(weight("fc.weight", {3, 5}))
      .add({"MatMul", {"x", "fc.weight"}, {"m"}});
  return graph;
}

/// With `addend` as the other operand of the Add.
graph::Graph added(const std::string& addend, bool bias_first = false) {
  GraphWriter graph = product();
  graph.initializer(addend)
      .add({"Add", bias_first ? Names{"b", "m"} : Names{"m", "b"}, {"y"}})
      .output("y");
  return read_onnx_bytes(model(graph), "m.onnx").graph;
}

TEST(BiasJoin, AProductAndTheAddOfItsBiasAreOneLinear) {
  for (const bool bias_first : {false, true}) {
    const graph::Graph graph = added(weight("b", {5}), bias_first);
    ASSERT_EQ(ops_of(graph), "linear");
    EXPECT_EQ(operands_of(graph, graph.nodes[0]), "x fc.weight b");
    EXPECT_TRUE(std::get<graph::Linear>(graph.nodes[0].op).weight_in_by_out);
    EXPECT_EQ(graph.nodes[0].name, "fc");
    EXPECT_EQ(graph.type(graph.outputs[0]).shape, (graph::Shape{2, 7, 5}));
    EXPECT_EQ(graph.parameter_elements(), 3 * 5 + 5);
  }
}

TEST(BiasJoin, ATransposedWeightKeepsItsStoredOrder) {
  GraphWriter graph;
  graph.input("x", {2, 7, 3})
      .initializer(weight("fc.weight", {5, 3}))
      .initializer(weight("fc.bias", {5}))
      .add({"Transpose", {"fc.weight"}, {"t"}, {attribute("perm", Dims{1, 0})}})
      .add({"MatMul", {"x", "t"}, {"m"}})
      .add({"Add", {"fc.bias", "m"}, {"y"}})
      .output("y");
  const graph::Graph read = read_onnx_bytes(model(graph), "m.onnx").graph;
  ASSERT_EQ(ops_of(read), "linear");
  EXPECT_EQ(operands_of(read, read.nodes[0]), "x fc.weight fc.bias");
  EXPECT_FALSE(std::get<graph::Linear>(read.nodes[0].op).weight_in_by_out);
}

TEST(BiasJoin, OtherOperandsOfTheAddStayAdditions) {
  EXPECT_EQ(ops_of(added(weight("b", {1}))), "linear add");     // one element for all features
  EXPECT_EQ(ops_of(added(weight("b", {7, 5}))), "linear add");  // a table of positions
  EXPECT_EQ(ops_of(added(weight("b", {1, 1, 5}))), "linear add");
  EXPECT_EQ(ops_of(added(floats("b", {1.0F}, true))), "linear add");
}

TEST(BiasJoin, AnAddOfAnActivationStays) {
  GraphWriter graph = product();
  graph.input("b", {5}).add({"Add", {"m", "b"}, {"y"}}).output("y");
  EXPECT_EQ(ops_of(read_onnx_bytes(model(graph), "m.onnx").graph), "linear add");
}

TEST(BiasJoin, AProductThatAnotherNodeReadsStays) {
  GraphWriter graph = product();
  graph.initializer(weight("b", {5}))
      .add({"Add", {"m", "b"}, {"s"}})
      .add({"Mul", {"s", "m"}, {"y"}})
      .output("y");
  EXPECT_EQ(ops_of(read_onnx_bytes(model(graph), "m.onnx").graph), "linear add mul");

  GraphWriter caller = product();
  caller.initializer(weight("b", {5})).add({"Add", {"m", "b"}, {"y"}}).output("y").output("m");
  EXPECT_EQ(ops_of(read_onnx_bytes(model(caller), "m.onnx").graph), "linear add");
}

TEST(BiasJoin, AReaderThatNoOutputNeedsDoesNotCount) {
  GraphWriter graph = product();
  graph.initializer(weight("b", {5}))
      .add({"Relu", {"m"}, {"unused"}})
      .add({"Add", {"m", "b"}, {"y"}})
      .output("y");
  EXPECT_EQ(ops_of(read_onnx_bytes(model(graph), "m.onnx").graph), "linear");
}

TEST(BiasJoin, ASecondBiasAndOtherFunctionsStay) {
  GraphWriter graph = product();
  graph.initializer(weight("b", {5}))
      .initializer(weight("c", {5}))
      .add({"Add", {"m", "b"}, {"s"}})
      .add({"Add", {"s", "c"}, {"t"}})
      .add({"Mul", {"t", "c"}, {"y"}})
      .output("y");
  EXPECT_EQ(ops_of(read_onnx_bytes(model(graph), "m.onnx").graph), "linear add mul");
}

TEST(BiasJoin, AProductOfActivationsHasNoBias) {
  GraphWriter graph;
  graph.input("x", {2, 7, 7})
      .initializer(weight("b", {7}))
      .add({"MatMul", {"x", "x"}, {"m"}})
      .add({"Add", {"m", "b"}, {"y"}})
      .output("y");
  EXPECT_EQ(ops_of(read_onnx_bytes(model(graph), "m.onnx").graph), "matmul add");
}

}  // namespace
}  // namespace rooflab::onnx
