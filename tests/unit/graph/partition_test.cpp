#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// fc1, relu (in place), fc2, add (of fc2 and relu), fc3.
Graph residual() {
  GraphBuilder b("net");
  ValueId x = b.input("input", {8, 4});
  x = b.linear(x, "fc1", 6);
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  const ValueId kept = x;
  x = b.linear(x, "fc2", 6);
  x = b.binary(x, kept, BinaryFunction::add, "add");
  x = b.linear(x, "fc3", 2);
  return std::move(b).finish({x});
}

std::vector<std::string> names(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> result;
  for (const ValueId id : ids) result.push_back(graph.value(id).name);
  return result;
}

std::string message_of(const Graph& graph, std::vector<NodeId> cuts) {
  try {
    (void)stages_of(graph, cuts);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Partition, WhatCrossesIsOutputHereAndInputThere) {
  const Graph whole = residual();
  const std::vector<Graph> stages = stages_of(whole, std::array<NodeId, 1>{3});
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_THAT(names(stages[0], stages[0].inputs), ElementsAre("input"));
  EXPECT_THAT(names(stages[0], stages[0].outputs), ElementsAre("relu", "fc2"));
  EXPECT_THAT(names(stages[1], stages[1].inputs), ElementsAre("relu", "fc2"));
  EXPECT_THAT(names(stages[1], stages[1].outputs), ElementsAre("fc3"));
  EXPECT_EQ(stages[1].type(stages[1].inputs[0]).shape, (Shape{8, 6}));
  for (const Graph& stage : stages) EXPECT_THAT(verify(stage), IsEmpty());
  EXPECT_EQ(stages[0].parameter_elements() + stages[1].parameter_elements(),
            whole.parameter_elements());
  EXPECT_EQ(stages[0].parameter_elements(), (4 * 6 + 6) + (6 * 6 + 6));
}

TEST(Partition, AValueGoesPastAStageThatDoesNotReadIt) {
  const std::vector<Graph> stages = stages_of(residual(), std::array<NodeId, 2>{2, 3});
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_THAT(names(stages[1], stages[1].inputs), ElementsAre("relu"));
  EXPECT_THAT(names(stages[1], stages[1].outputs), ElementsAre("fc2"));
  EXPECT_THAT(names(stages[2], stages[2].inputs), ElementsAre("relu", "fc2"));
}

// What was sent is not there to be overwritten.
TEST(Partition, AnOpInPlaceBehindACutGetsAResultOfItsOwn) {
  const std::vector<Graph> stages = stages_of(residual(), std::array<NodeId, 1>{1});
  EXPECT_FALSE(std::get<Unary>(stages[1].nodes[0].op).inplace);
  const std::vector<Graph> later = stages_of(residual(), std::array<NodeId, 1>{2});
  EXPECT_TRUE(std::get<Unary>(later[0].nodes[1].op).inplace);
}

TEST(Partition, NorThroughAView) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {8, 4});
  x = b.linear(x, "fc", 6);
  x = b.reshape(x, {8, 3, 2}, "view");
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  const Graph whole = std::move(b).finish({x});
  EXPECT_FALSE(std::get<Unary>(stage_of(whole, 1, 3).nodes[1].op).inplace);
}

TEST(Partition, ASharedParameterForbidsTheCutsBetweenItsReaders) {
  GraphBuilder b("tied");
  ValueId x = b.input("input", {8, 4});
  const ValueId weight = b.parameter("weight", {4, 4});
  x = b.add(Linear{}, {x, weight}, "first");
  x = b.unary(x, UnaryFunction::tanh, "tanh");
  x = b.add(Linear{}, {x, weight}, "second");
  x = b.linear(x, "last", 2);
  const Graph whole = std::move(b).finish({x});
  EXPECT_THAT(possible_cuts(whole), ElementsAre(3));
  EXPECT_THAT(message_of(whole, {2}), HasSubstr("'weight' is used on both sides"));
  EXPECT_EQ(stages_of(whole, std::array<NodeId, 1>{3})[0].parameter_elements(), 16);
}

TEST(Partition, ASidePathOfTrainingStaysInOneStage) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {8, 4});
  x = b.linear(x, "fc1", 6);
  b.set_training_only(true);
  const ValueId side = b.linear(x, "aux.fc1", 6);
  (void)b.linear(side, "aux.fc2", 2);
  b.set_training_only(false);
  x = b.linear(x, "fc2", 2);
  const Graph whole = std::move(b).finish({x});
  EXPECT_THAT(possible_cuts(whole), ElementsAre(1, 3));
  EXPECT_THAT(message_of(whole, {2}), HasSubstr("'aux.fc1' is in a side path on both sides"));
  // Nothing that the side path computes is needed outside of it.
  EXPECT_THAT(message_of(whole, {1, 3}), HasSubstr("it is not a stage"));
}

TEST(Partition, RefusesCutsThatDoNotRise) {
  EXPECT_THAT(message_of(residual(), {0}), HasSubstr("cuts must rise"));
  EXPECT_THAT(message_of(residual(), {3, 3}), HasSubstr("cuts must rise"));
  EXPECT_THAT(message_of(residual(), {5}), HasSubstr("cuts must rise"));
}

}  // namespace
}  // namespace rooflab::graph
