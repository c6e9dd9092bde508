#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Values = std::vector<ValueId>;

TEST(ValueLifetime, AChainDropsEachValueAfterItsReader) {
  GraphBuilder b("net");
  const ValueId input = b.input("input", {2, 8});
  const ValueId a = b.linear(input, "fc1", 8);
  const ValueId c = b.unary(a, UnaryFunction::relu, "relu");
  const ValueId d = b.linear(c, "fc2", 8);
  const Graph graph = std::move(b).finish({d});
  // Neither the input nor a parameter is the executor's to drop.
  const std::vector<Values> expected = {{}, {a}, {c}};
  EXPECT_EQ(dropped_after(graph, false), expected);
  EXPECT_EQ(dropped_after(graph, true), expected);
}

TEST(ValueLifetime, AResidualLivesUntilItIsAdded) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc1", 8);
  const ValueId c = b.unary(a, UnaryFunction::relu, "relu");
  const ValueId d = b.linear(c, "fc2", 8);
  const ValueId e = b.binary(d, a, BinaryFunction::add, "add");
  const Graph graph = std::move(b).finish({e});
  EXPECT_THAT(dropped_after(graph, false),
              ElementsAre(IsEmpty(), IsEmpty(), Values{c}, Values{a, d}));
}

TEST(ValueLifetime, AValueReadTwiceByOneNodeIsDroppedOnce) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc", 8);
  const ValueId c = b.binary(a, a, BinaryFunction::add, "add");
  const Graph graph = std::move(b).finish({c});
  EXPECT_THAT(dropped_after(graph, false), ElementsAre(IsEmpty(), Values{a}));
}

TEST(ValueLifetime, AModulesArgumentLivesUntilItReturns) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc0", 8);
  ValueId c = 0;
  ValueId d = 0;
  ValueId e = 0;
  {
    const auto scope = b.scope("block");
    c = b.linear(a, "fc1", 8);  // the only reader of a
    d = b.unary(c, UnaryFunction::relu, "relu");
    e = b.linear(d, "fc2", 8);
  }
  const ValueId f = b.linear(e, "fc3", 8);
  const Graph graph = std::move(b).finish({f});
  EXPECT_THAT(dropped_after(graph, false),
              ElementsAre(IsEmpty(), IsEmpty(), Values{c}, Values{a, d}, Values{e}));
}

// outer(a) calls inner(c) with another value: a lives as long as outer, c as long as inner.
TEST(ValueLifetime, OfNestedModulesTheOutermostThatCameLaterKeepsAValue) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc0", 8);
  ValueId c = 0;
  ValueId d = 0;
  ValueId e = 0;
  ValueId f = 0;
  {
    const auto outer = b.scope("outer");
    c = b.unary(a, UnaryFunction::relu, "relu");
    {
      const auto inner = b.scope("inner");
      d = b.binary(c, a, BinaryFunction::add, "add");
      e = b.linear(d, "fc", 8);
    }
    f = b.unary(e, UnaryFunction::sigmoid, "sigmoid");
  }
  const ValueId g = b.linear(f, "fc1", 8);
  const Graph graph = std::move(b).finish({g});
  EXPECT_THAT(dropped_after(graph, false),
              ElementsAre(IsEmpty(), IsEmpty(), IsEmpty(), Values{c, d}, Values{a, e}, Values{f}));
}

// `block1` is a separate module and not a part of `block`.
TEST(ValueLifetime, ModulesAreToldApartByTheirWholeName) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc", 8);
  ValueId c = 0;
  ValueId d = 0;
  {
    const auto scope = b.scope("block");
    c = b.unary(a, UnaryFunction::relu, "relu");
  }
  {
    const auto scope = b.scope("block1");
    d = b.unary(c, UnaryFunction::relu, "relu");
    d = b.linear(d, "fc", 8);
  }
  const Graph graph = std::move(b).finish({d});
  const std::vector<Values> dropped = dropped_after(graph, false);
  EXPECT_THAT(dropped[1], ElementsAre(a));  // when `block` returns
  EXPECT_THAT(dropped[2], IsEmpty());       // c is block1's argument
  EXPECT_THAT(dropped[3], testing::Contains(c));
}

/// fc0 -> a -> block: `first` -> v, fc1 -> c, relu -> d. What is dropped after fc1.
template <class First>
Values dropped_after_its_reader(bool training, First first) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc0", 8);
  ValueId d = 0;
  {
    const auto scope = b.scope("block");
    const ValueId v = first(b, a);
    const ValueId c = b.linear(v, "fc1", 8);
    d = b.unary(c, UnaryFunction::relu, "relu");
  }
  const Graph graph = std::move(b).finish({d});
  const std::vector<Values> dropped = dropped_after(graph, training);
  // Whatever goes early or late, all but the output goes in the end.
  EXPECT_EQ(dropped[2].size() + dropped[3].size(), 3U);
  return dropped[2];
}

// The memory of a is its module's argument, under whatever name.
TEST(ValueLifetime, AViewIsAsOldAsItsBase) {
  for (const bool training : {false, true}) {
    EXPECT_THAT(dropped_after_its_reader(training,
                                         [](GraphBuilder& b, ValueId a) {
                                           return b.unary(a, UnaryFunction::sigmoid, "first");
                                         }),
                testing::SizeIs(1));
    EXPECT_THAT(dropped_after_its_reader(training,
                                         [](GraphBuilder& b, ValueId a) {
                                           return b.reshape(a, {2, 8}, "first");
                                         }),
                IsEmpty());
    EXPECT_THAT(dropped_after_its_reader(training,
                                         [](GraphBuilder& b, ValueId a) {
                                           return b.unary(a, UnaryFunction::relu, "first", true);
                                         }),
                IsEmpty());
  }
}

// In evaluation dropout returns its argument.
TEST(ValueLifetime, DropoutSharesMemoryInEvaluationOnly) {
  const auto dropout = [](GraphBuilder& b, ValueId a) { return b.dropout(a, "first", 0.5); };
  EXPECT_THAT(dropped_after_its_reader(false, dropout), IsEmpty());
  EXPECT_THAT(dropped_after_its_reader(true, dropout), testing::SizeIs(1));
}

TEST(ValueLifetime, WhatANodeHoldsLivesUntilItHasRun) {
  GraphBuilder b("net");
  const ValueId input = b.input("input", {2, 8});
  const ValueId a = b.linear(input, "fc1", 8);
  const ValueId c = b.unary(a, UnaryFunction::relu, "relu");  // the only reader of a
  const ValueId d = b.linear(c, "fc2", 8);
  b.hold(a);
  b.hold(input);  // not the executor's to drop, held or not
  const ValueId e = b.linear(d, "fc3", 8);
  const Graph graph = std::move(b).finish({e});
  EXPECT_THAT(dropped_after(graph, false),
              ElementsAre(IsEmpty(), IsEmpty(), Values{a, c}, Values{d}));
}

TEST(ValueLifetime, OutputsAreKept) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc1", 8);
  const ValueId c = b.unary(a, UnaryFunction::relu, "relu");
  const ValueId d = b.linear(c, "fc2", 8);
  const Graph graph = std::move(b).finish({d, a});  // a is read and returned
  EXPECT_THAT(dropped_after(graph, false), ElementsAre(IsEmpty(), IsEmpty(), Values{c}));
}

TEST(ValueLifetime, AResultThatNobodyReadsIsDroppedAtOnce) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc", 8);
  const Values parts = b.add_all(Split{.axis = 1, .sizes = {4, 4}}, {a}, "split");
  const ValueId c = b.unary(parts[0], UnaryFunction::relu, "relu");
  const Graph graph = std::move(b).finish({c});
  EXPECT_THAT(dropped_after(graph, false),
              ElementsAre(IsEmpty(), Values{a, parts[1]}, Values{parts[0]}));
}

// fc -> a -> relu -> c -> fc2, and also aux1(a) -> s -> aux2 -> t in training.
TEST(ValueLifetime, ASidePathReadsInTrainingAndReturnsItsResult) {
  GraphBuilder b("net");
  const ValueId a = b.linear(b.input("input", {2, 8}), "fc", 8);
  const ValueId c = b.unary(a, UnaryFunction::relu, "relu");
  b.set_training_only(true);
  const ValueId s = b.linear(a, "aux1", 8);
  const ValueId t = b.linear(s, "aux2", 8);
  b.set_training_only(false);
  const ValueId d = b.linear(c, "fc2", 8);
  const Graph graph = std::move(b).finish({d});
  EXPECT_THAT(dropped_after(graph, true),
              ElementsAre(IsEmpty(), IsEmpty(), Values{a}, Values{s}, Values{c}))
      << "t = " << t << " is returned";
  EXPECT_THAT(dropped_after(graph, false),
              ElementsAre(IsEmpty(), Values{a}, IsEmpty(), IsEmpty(), Values{c}));
}

}  // namespace
}  // namespace rooflab::graph
