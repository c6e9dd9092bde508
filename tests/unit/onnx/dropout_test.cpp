// Dropout nodes, which training runs and evaluation skips.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "graph_words.hpp"
#include "onnx/onnx_notes.hpp"
#include "onnx_writer.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;

/// x, dropped out and passed through a ReLU; `ratio` is an initialiser of that name.
GraphWriter dropped(const std::vector<std::string>& initializers, const NodeSpec& dropout) {
  GraphWriter graph;
  graph.input("x", {2, 3});
  for (const std::string& initializer : initializers) graph.initializer(initializer);
  graph.add(dropout).add({"Relu", {"d"}, {"y"}}).output("y");
  return graph;
}

double ratio_after_import(const GraphWriter& graph, std::int64_t opset = 17) {
  const graph::Graph read = read_onnx_bytes(model(graph, opset), "m.onnx").graph;
  EXPECT_EQ(ops_of(read), "dropout relu");
  return std::get<graph::Dropout>(read.nodes.at(0).op).p;
}

TEST(Dropout, KeepsItsRatioWhereverTheOperatorSetHasIt) {
  const NodeSpec bare{"Dropout", {"x"}, {"d"}};
  EXPECT_EQ(ratio_after_import(dropped({}, bare)), 0.5);
  EXPECT_FLOAT_EQ(static_cast<float>(ratio_after_import(
                      dropped({floats("r", {0.1F}, true)}, {"Dropout", {"x", "r"}, {"d"}}))),
                  0.1F);
  const NodeSpec old{"Dropout", {"x"}, {"d"}, {attribute_float("ratio", 0.25F)}};
  EXPECT_EQ(ratio_after_import(dropped({}, old), 10), 0.25);
}

TEST(Dropout, InTrainingModeIsTheSame) {
  EXPECT_EQ(ratio_after_import(dropped({floats("r", {0.25F}, true), truth("training", true)},
                                       {"Dropout", {"x", "r", "training"}, {"d"}})),
            0.25);
}

TEST(Dropout, OfNothingVanishes) {
  const GraphWriter graph = dropped({floats("r", {0.0F}, true)}, {"Dropout", {"x", "r"}, {"d"}});
  EXPECT_EQ(ops_of(read_onnx_bytes(model(graph), "m.onnx").graph), "relu");
}

TEST(Dropout, OfAConstantVanishes) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .initializer(weight("w", {2, 3}))
      .add({"Dropout", {"w"}, {"d"}})
      .add({"Add", {"x", "d"}, {"y"}})
      .output("y");
  EXPECT_EQ(ops_of(read_onnx_bytes(model(graph), "m.onnx").graph), "add");
}

TEST(Dropout, AMaskThatIsReadIsAllTrue) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .add({"Dropout", {"x"}, {"d", "mask"}})
      .add({"Where", {"mask", "d", "x"}, {"y"}})
      .output("y");
  EXPECT_EQ(ops_of(read_onnx_bytes(model(graph), "m.onnx").graph), "dropout where");
}

TEST(Dropout, AFileWithoutAnySaysSoForTraining) {
  GraphWriter none;
  none.input("x", {2, 3}).add({"Relu", {"x"}, {"y"}}).output("y");
  EXPECT_THAT(read_onnx_bytes(pytorch_model(none), "m.onnx").training_notes,
              testing::ElementsAre(HasCode(says.dropout_unknown)));
  const GraphWriter some = dropped({}, {"Dropout", {"x"}, {"d"}});
  EXPECT_THAT(read_onnx_bytes(pytorch_model(some), "m.onnx").training_notes, testing::IsEmpty());
  EXPECT_THAT(read_onnx_bytes(model(none), "m.onnx").training_notes, testing::IsEmpty());
}

}  // namespace
}  // namespace rooflab::onnx
