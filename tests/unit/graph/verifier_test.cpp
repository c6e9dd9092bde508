#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// input -> conv -> relu (in place) -> flatten -> fc
Graph small() {
  GraphBuilder b("small");
  ValueId x = b.input("input", {2, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  x = b.flatten(x, 1, "flatten");
  x = b.linear(x, "fc", 10);
  return std::move(b).finish({x});
}

ValueId id_of(const Graph& graph, std::string_view name) {
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].name == name) return static_cast<ValueId>(i);
  }
  ADD_FAILURE() << "no value " << name;
  return -1;
}

Node& node_named(Graph& graph, std::string_view name) {
  for (Node& node : graph.nodes) {
    if (node.name == name) return node;
  }
  ADD_FAILURE() << "no node " << name;
  return graph.nodes.front();
}

TEST(Verifier, ASoundGraphBreaksNoRule) {
  EXPECT_THAT(verify(small()), IsEmpty());
  EXPECT_NO_THROW(require_sound(small(), "test"));
}

TEST(Verifier, IdsInRange) {
  Graph graph = small();
  node_named(graph, "fc").inputs[1] = 99;
  EXPECT_THAT(verify(graph), ElementsAre("node 'fc': reads value 99, which does not exist"));
  graph = small();
  graph.outputs = {-1};
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("output -1")));
  graph = small();
  graph.value(id_of(graph, "conv")).producer = 50;
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("value 'conv': a result without a node")));
  graph = small();
  graph.value(id_of(graph, "input")).producer = 0;
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("has a producer but is not a result")));
}

TEST(Verifier, OneProducerForEachResult) {
  Graph graph = small();
  graph.value(id_of(graph, "conv")).producer = 1;
  EXPECT_THAT(verify(graph), ElementsAre("node 'conv': writes 'conv', whose producer is 'relu'"));
  graph = small();
  graph.values.push_back({"orphan", ValueKind::result, {DType::f32, {1}}, 0});
  EXPECT_THAT(verify(graph), ElementsAre("value 'orphan': a result that no node writes"));
  graph = small();
  node_named(graph, "relu").outputs = {id_of(graph, "input")};
  EXPECT_THAT(verify(graph), testing::Contains(HasSubstr("writes 'input', which is not a result")));
}

TEST(Verifier, DefinitionBeforeUse) {
  Graph graph = small();
  node_named(graph, "conv").inputs[0] = id_of(graph, "fc");
  EXPECT_THAT(verify(graph), ElementsAre("node 'conv': reads 'fc' before it is written"));
  graph = small();
  node_named(graph, "relu").inputs[0] = id_of(graph, "relu");
  EXPECT_THAT(verify(graph), ElementsAre("node 'relu': reads 'relu' before it is written"));
}

TEST(Verifier, UniqueNames) {
  Graph graph = small();
  node_named(graph, "relu").name = "conv";
  EXPECT_THAT(verify(graph), ElementsAre("node 'conv': the name is taken by another node"));
  graph = small();
  graph.value(id_of(graph, "fc.bias")).name = "fc.weight";
  EXPECT_THAT(verify(graph), ElementsAre("value 'fc.weight': the name is taken by another value"));
  graph = small();
  graph.value(0).name.clear();
  EXPECT_THAT(verify(graph), ElementsAre("value 0 has no name"));
}

TEST(Verifier, InputsAndOutputs) {
  Graph graph = small();
  graph.inputs.push_back(id_of(graph, "fc.bias"));
  EXPECT_THAT(verify(graph), ElementsAre("value 'fc.bias': listed as input but is not one"));
  graph = small();
  graph.inputs.clear();
  EXPECT_THAT(verify(graph), ElementsAre("value 'input': an input that is not listed"));
  graph = small();
  graph.outputs.clear();
  EXPECT_THAT(verify(graph), ElementsAre("the graph has no output"));
}

TEST(Verifier, Extents) {
  Graph graph = small();
  graph.value(0).type.shape = {2, -3, 8, 8};
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("a negative extent in 2x-3x8x8")));
  graph = small();
  // 2^61 elements of four bytes.
  graph.value(0).type.shape = {std::int64_t{1} << 61};
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("exceeds the 64-bit range")));
  const auto kind_of = [](const Graph& wrong) {
    try {
      require_sound(wrong, "a test");
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::system;
  };
  EXPECT_EQ(kind_of(graph), ErrorKind::range);
  graph.outputs.clear();  // another fault
  EXPECT_EQ(kind_of(graph), ErrorKind::input);
}

TEST(Verifier, Arity) {
  Graph graph = small();
  node_named(graph, "relu").inputs.push_back(0);
  EXPECT_THAT(verify(graph), ElementsAre("node 'relu': relu does not take 2 operands"));
  graph = small();
  node_named(graph, "flatten").op = TopK{1, 0};
  EXPECT_THAT(verify(graph), ElementsAre("node 'flatten': topk has 2 results, not 1"));
}

TEST(Verifier, StoredTypesAreTheInferredOnes) {
  Graph graph = small();
  graph.value(id_of(graph, "fc")).type.shape = {2, 11};
  EXPECT_THAT(verify(graph), ElementsAre("node 'fc': the result is f32 2x10, stored is f32 2x11"));
  graph = small();
  graph.value(id_of(graph, "fc")).type.dtype = DType::f16;
  EXPECT_THAT(verify(graph), ElementsAre("node 'fc': the result is f32 2x10, stored is f16 2x10"));
}

/// What the verifier says about one op over one operand, its type taken as stored.
std::vector<std::string> verify_op(Op op, const Shape& shape, const std::vector<Shape>& more = {}) {
  Graph graph;
  graph.values = {{"x", ValueKind::input, {DType::f32, shape}, -1},
                  {"y", ValueKind::result, {DType::f32, shape}, 0}};
  graph.nodes = {{"op", std::move(op), {0}, {1}}};
  graph.inputs = {0};
  graph.outputs = {1};
  for (const Shape& extra : more) {
    const auto id = static_cast<ValueId>(graph.values.size());
    graph.values.push_back(
        {"w" + std::to_string(id), ValueKind::parameter, {DType::f32, extra}, -1});
    graph.nodes[0].inputs.push_back(id);
  }
  return verify(graph);
}

TEST(Verifier, AttributesOfWindows) {
  const Conv good{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, false, {}};
  const Shape x{1, 4, 8, 8};
  EXPECT_THAT(verify_op(good, x, {{4, 4, 3, 3}}), IsEmpty());
  Conv bad = good;
  bad.groups = 3;
  EXPECT_THAT(verify_op(bad, x, {{4, 4, 3, 3}}),
              ElementsAre("node 'op': the groups do not divide the input channels"));
  bad = good;
  bad.stride = {1, 0};
  EXPECT_THAT(verify_op(bad, x, {{4, 4, 3, 3}}), ElementsAre(HasSubstr("must be positive")));
  bad = good;
  bad.padding_end = {1};
  EXPECT_THAT(verify_op(bad, x, {{4, 4, 3, 3}}), ElementsAre(HasSubstr("differ in length")));
  bad = good;
  bad.padding_begin = {-1, 0};
  EXPECT_THAT(verify_op(bad, x, {{4, 4, 3, 3}}), ElementsAre(HasSubstr("a padding is negative")));
  bad = good;
  bad.output_padding = {1, 1};
  EXPECT_THAT(verify_op(bad, x, {{4, 4, 3, 3}}), ElementsAre(HasSubstr("output padding")));
  bad = good;
  bad.dilation = {std::int64_t{1} << 40, 1};
  EXPECT_THAT(verify_op(bad, x, {{4, 4, 3, 3}}), ElementsAre(HasSubstr("31 bits")));
  EXPECT_THAT(verify_op(Pool{PoolKind::max, {0, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}}, x),
              ElementsAre(HasSubstr("must be positive")));
}

TEST(Verifier, OtherAttributes) {
  const Shape x{2, 3};
  EXPECT_THAT(verify_op(Transpose{{0, 0}}, x), ElementsAre(HasSubstr("not a permutation")));
  EXPECT_THAT(verify_op(Split{1, {2}}, x), ElementsAre(HasSubstr("do not sum")));
  EXPECT_THAT(verify_op(Split{1, {4}}, x), ElementsAre(HasSubstr("do not sum")));
  EXPECT_THAT(verify_op(Dropout{1.5}, x), ElementsAre(HasSubstr("outside 0 to 1")));
  EXPECT_THAT(verify_op(StochasticDepth{-0.1}, x), ElementsAre(HasSubstr("outside 0 to 1")));
  EXPECT_THAT(verify_op(Reduce{ReduceFunction::sum, {1, 0}, true}, x),
              ElementsAre(HasSubstr("not ascending")));
  EXPECT_THAT(verify_op(Reshape{{-1, -2}}, x), ElementsAre(HasSubstr("below -1")));
  EXPECT_THAT(verify_op(Reshape{{-1, -1}}, x), ElementsAre(HasSubstr("more than one")));
  EXPECT_THAT(verify_op(Slice{{1}, {0}, {4}, {1}}, x), ElementsAre(HasSubstr("not clamped")));
  EXPECT_THAT(verify_op(Slice{{1}, {0}, {3}, {0}}, x), ElementsAre(HasSubstr("a step is 0")));
  EXPECT_THAT(verify_op(Concat{-1}, x), ElementsAre(HasSubstr("no such axis")));
  EXPECT_THAT(verify_op(Softmax{-2}, x), IsEmpty());
  EXPECT_THAT(verify_op(Softmax{-3}, x), ElementsAre(HasSubstr("no such axis")));
  EXPECT_THAT(verify_op(Roll{{-1, 4}, {0, 1}}, x), IsEmpty());
  EXPECT_THAT(verify_op(Roll{{1}, {0, 1}}, x), ElementsAre(HasSubstr("differ in length")));
  EXPECT_THAT(verify_op(Roll{{1}, {-1}}, x), ElementsAre(HasSubstr("no such axis")));
  EXPECT_THAT(verify_op(Roll{}, x), ElementsAre(HasSubstr("at least one axis")));
  EXPECT_THAT(verify_op(GroupNorm{2}, x), ElementsAre(HasSubstr("do not divide")));
  EXPECT_THAT(verify_op(LayerNorm{3}, x), ElementsAre(HasSubstr("normalised dimensions")));
}

TEST(Verifier, RecurrentLayersAndTheirWeights) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {7, 3, 5});
  const std::vector<ValueId> results =
      b.recurrent(x, "gru", {.cell = RecurrentCell::gru, .bias = false}, 4);
  const Graph sound = std::move(b).finish({results[0]});
  const auto with = [&sound](auto change) {
    Graph graph = sound;
    change(graph.nodes.front(), std::get<Recurrent>(graph.nodes.front().op));
    return verify(graph);
  };
  EXPECT_THAT(verify(sound), IsEmpty());
  EXPECT_THAT(with([](Node& node, Recurrent&) { node.inputs.pop_back(); }),
              ElementsAre(HasSubstr("operands")));
  EXPECT_THAT(with([](Node&, Recurrent& op) { op.cell = RecurrentCell::lstm; }),
              ElementsAre(HasSubstr("results")));
  EXPECT_THAT(with([](Node&, Recurrent& op) { op.dropout = 1.5; }),
              ElementsAre(HasSubstr("outside 0 to 1")));
  for (const std::int64_t layers : {std::int64_t{0}, std::int64_t{1} << 62}) {
    EXPECT_THAT(with([layers](Node&, Recurrent& op) { op.layers = layers; }),
                ElementsAre(HasSubstr("number of layers")));
  }
}

TEST(Verifier, GridSampleInTwoOrThreeDimensions) {
  const GridSample bicubic{GridSampleMode::bicubic};
  EXPECT_THAT(verify_op(bicubic, {1, 2, 4, 4}, {{1, 4, 4, 2}}), IsEmpty());
  EXPECT_THAT(verify_op(GridSample{}, {1, 2, 4, 4, 4}, {{1, 4, 4, 4, 3}}), IsEmpty());
  EXPECT_THAT(verify_op(bicubic, {1, 2, 4, 4, 4}, {{1, 4, 4, 4, 3}}),
              ElementsAre("node 'op': bicubic sampling is for two spatial dimensions"));
  EXPECT_THAT(verify_op(GridSample{}, {1, 2, 4}, {{1, 4, 1}}),
              ElementsAre(HasSubstr("two or three spatial dimensions")));
}

TEST(Verifier, IndicesIntoTheirData) {
  const Shape x{2, 3};
  const auto nd = [](std::int64_t batch_dims) {
    return GatherElements{IndexForm::nd, 0, batch_dims};
  };
  EXPECT_THAT(verify_op(GatherElements{IndexForm::elements, 1}, x, {{2, 3}}), IsEmpty());
  EXPECT_THAT(verify_op(GatherElements{IndexForm::elements, 2}, x, {{2, 9}}),
              ElementsAre(HasSubstr("no such axis")));
  EXPECT_THAT(verify_op(nd(1), x, {{2, 3, 1}}), IsEmpty());
  EXPECT_THAT(verify_op(Scatter{IndexForm::elements, 1}, x, {{2, 1}, {2, 1}}), IsEmpty());
  EXPECT_THAT(verify_op(Scatter{IndexForm::elements, 2}, x, {{2, 1}, {2, 1}}),
              ElementsAre(HasSubstr("no such axis")));
  EXPECT_THAT(verify_op(nd(0), x, {{}}), ElementsAre(HasSubstr("no dimension of coordinates")));
  EXPECT_THAT(verify_op(nd(0), x, {{5, 0}}), ElementsAre(HasSubstr("no coordinates")));
  EXPECT_THAT(verify_op(nd(1), x, {{2, 2}}), ElementsAre(HasSubstr("or more than")));
  EXPECT_THAT(verify_op(nd(1), x, {{1}}), ElementsAre(HasSubstr("a batch dimension")));
}

TEST(Verifier, OpaqueHasItsOwnTypes) {
  EXPECT_THAT(verify_op(Opaque{"", "NonZero", {{9, 9}}, {DType::i64}}, {2, 3}), IsEmpty());
  EXPECT_THAT(verify_op(Opaque{"", "NonZero", {{9, 9}}, {}}, {2, 3}),
              ElementsAre(HasSubstr("one element type per output")));
}

/// Nodes over f32[2x3]: what the callback adds between an input `x` and the output.
template <class Body>
std::vector<std::string> verify_body(Body body) {
  GraphBuilder b("body");
  const ValueId x = b.input("x", {2, 3});
  try {
    const ValueId result = body(b, x);
    (void)std::move(b).finish({result});
  } catch (const Error& error) {
    return {error.what()};
  }
  return {};
}

TEST(Verifier, InPlaceOnAFreshResultIsFine) {
  EXPECT_THAT(verify_body([](GraphBuilder& b, ValueId x) {
                const ValueId y = b.unary(x, UnaryFunction::exp, "exp");
                const ValueId z = b.unary(y, UnaryFunction::relu, "relu", true);
                return b.unary(z, UnaryFunction::relu, "relu2", true);
              }),
              IsEmpty());
}

TEST(Verifier, InPlaceOnAValueReadBeforeIsFine) {
  EXPECT_THAT(verify_body([](GraphBuilder& b, ValueId x) {
                const ValueId y = b.unary(x, UnaryFunction::exp, "exp");
                const ValueId before = b.unary(y, UnaryFunction::tanh, "tanh");
                const ValueId z = b.unary(y, UnaryFunction::relu, "relu", true);
                return b.binary(z, before, BinaryFunction::add, "add", true);
              }),
              IsEmpty());
}

TEST(Verifier, InPlaceOnAValueReadLater) {
  EXPECT_THAT(verify_body([](GraphBuilder& b, ValueId x) {
                const ValueId y = b.unary(x, UnaryFunction::exp, "exp");
                const ValueId z = b.unary(y, UnaryFunction::relu, "relu", true);
                return b.binary(z, y, BinaryFunction::add, "add");
              }),
              ElementsAre(HasSubstr("node 'relu': in place on 'exp', which is read later")));
}

TEST(Verifier, InPlaceOnAnInputOrParameter) {
  EXPECT_THAT(verify_body([](GraphBuilder& b, ValueId x) {
                return b.unary(x, UnaryFunction::relu, "relu", true);
              }),
              ElementsAre(HasSubstr("in place on 'x', which is not a result")));
  EXPECT_THAT(verify_body([](GraphBuilder& b, ValueId x) {
                const ValueId w = b.parameter("w", {2, 3});
                return b.binary(w, x, BinaryFunction::add, "add", true);
              }),
              ElementsAre(HasSubstr("in place on 'w', which is not a result")));
  EXPECT_THAT(verify_body([](GraphBuilder& b, ValueId x) {
                return b.dropout(b.reshape(x, {6}, "view"), "drop", 0.5, true);
              }),
              ElementsAre(HasSubstr("in place on 'view', which is not a result")));
}

TEST(Verifier, InPlaceUnderAViewReadLater) {
  EXPECT_THAT(verify_body([](GraphBuilder& b, ValueId x) {
                const ValueId y = b.unary(x, UnaryFunction::exp, "exp");
                const ValueId flat = b.reshape(y, {6}, "view");
                const ValueId z = b.unary(y, UnaryFunction::relu, "relu", true);
                return b.binary(b.reshape(z, {6}, "view2"), flat, BinaryFunction::add, "add");
              }),
              ElementsAre(HasSubstr("node 'relu': in place on 'exp', which is read later")));
}

TEST(Verifier, InPlaceOnAnOutputOfTheGraph) {
  GraphBuilder b("outputs");
  const ValueId y = b.unary(b.input("x", {2, 3}), UnaryFunction::exp, "exp");
  const ValueId z = b.unary(y, UnaryFunction::relu, "relu", true);
  EXPECT_THROW((void)std::move(b).finish({z, y}), Error);
}

TEST(Verifier, TrainingOnlyFeedsNothingThatAlwaysRuns) {
  Graph graph = small();
  node_named(graph, "fc").training_only = true;
  EXPECT_THAT(verify(graph), ElementsAre("value 'fc': an output that exists in training only"));
  graph = small();
  node_named(graph, "relu").training_only = true;
  EXPECT_THAT(verify(graph), ElementsAre("node 'flatten': always runs but reads 'relu', which "
                                         "exists in training only"));
}

TEST(Verifier, RequireSoundSaysWhatMadeTheGraph) {
  Graph graph = small();
  for (Node& node : graph.nodes) node.name = "same";
  try {
    require_sound(graph, "importing net.onnx");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("importing net.onnx: node 'same': the name is taken"));
  }
}

}  // namespace
}  // namespace rooflab::graph
