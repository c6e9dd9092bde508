#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

using testing::HasSubstr;

constexpr std::string_view lenet_text = R"(graph lenet
input %input f32[1x1x28x28]
parameter %conv1.weight f32[6x1x5x5]
parameter %conv1.bias f32[6]
conv1 = conv kernel=[5,5] stride=[1,1] padding_begin=[2,2] padding_end=[2,2] dilation=[1,1] (%input, %conv1.weight, %conv1.bias) -> %conv1 f32[1x6x28x28]
relu = unary function=relu inplace=true (%conv1) -> %relu f32[1x6x28x28]
pool = pool kind=max kernel=[2,2] stride=[2,2] padding_begin=[0,0] padding_end=[0,0] dilation=[1,1] (%relu) -> %pool f32[1x6x14x14]
drop = dropout p=0.1 (%pool) -> %drop f32[1x6x14x14]
flatten = reshape target=[1,-1] (%drop) -> %flatten f32[1x1176]
outputs %flatten
)";

Graph lenet() {
  GraphBuilder b("lenet");
  ValueId x = b.input("input", {1, 1, 28, 28});
  x = b.conv(x, "conv1", {.out_channels = 6, .kernel = 5, .padding = 2});
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  x = b.pool(x, PoolKind::max, "pool", {});
  x = b.dropout(x, "drop", 0.1);
  x = b.flatten(x, 1, "flatten");
  return std::move(b).finish({x});
}

/// Every member, ids included.
void expect_same(const Graph& a, const Graph& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.outputs, b.outputs);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_EQ(a.values[i].name, b.values[i].name);
    EXPECT_EQ(a.values[i].kind, b.values[i].kind);
    EXPECT_EQ(a.values[i].type, b.values[i].type);
    EXPECT_EQ(a.values[i].producer, b.values[i].producer);
    ASSERT_EQ(a.values[i].data == nullptr, b.values[i].data == nullptr) << a.values[i].name;
    if (a.values[i].data != nullptr) {
      EXPECT_EQ(*a.values[i].data, *b.values[i].data);
    }
  }
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].name, b.nodes[i].name);
    EXPECT_EQ(a.nodes[i].op, b.nodes[i].op) << a.nodes[i].name;
    EXPECT_EQ(a.nodes[i].inputs, b.nodes[i].inputs);
    EXPECT_EQ(a.nodes[i].outputs, b.nodes[i].outputs);
    EXPECT_EQ(a.nodes[i].training_only, b.nodes[i].training_only);
    EXPECT_EQ(a.nodes[i].holds, b.nodes[i].holds);
    EXPECT_EQ(a.nodes[i].issued_as, b.nodes[i].issued_as);
  }
}

TEST(TextForm, WritesTheDocumentedLines) { EXPECT_EQ(to_text(lenet()), lenet_text); }

TEST(TextForm, ReadsTheDocumentedLines) {
  expect_same(parse_text(lenet_text, "lenet.graph"), lenet());
}

TEST(TextForm, CommentsBlankLinesAndForeignLineEndsDoNotCount) {
  const Graph graph = parse_text(
      "# a comment\r\n\r\n  graph g\r\n\tinput  %x  f32[]\r\n  # more\r\noutputs  %x \r\n", "g");
  EXPECT_EQ(graph.type(0), (TensorType{DType::f32, {}}));
  EXPECT_EQ(graph.outputs, std::vector<ValueId>{0});
}

TEST(TextForm, NameWithoutLineEndAtTheEnd) {
  EXPECT_EQ(parse_text("graph g\ninput %x f32[2]\noutputs %x", "g").values.size(), 1U);
}

/// One node of every kind, where it can be with no attribute at its default.
Graph every_op() {
  GraphBuilder b("every op");
  const ValueId x = b.input("x", {2, 6, 8});
  const ValueId flags = b.input("flags", {2, 6, 8}, DType::boolean);
  const ValueId index = b.input("index", {2, 6, 8}, DType::i64);
  const ValueId six = b.parameter("six", {6});
  const ValueId eight = b.parameter("eight", {8});
  const ValueId square = b.parameter("square", {8, 8});
  const ValueId weight = b.parameter("weight", {6, 4, 3});
  const ValueId batches = b.add(Transpose{{0, 2, 1}}, {x}, "transpose");
  b.add(Conv{{3}, {2}, {1}, {0}, {4}, 3, true, {1}}, {x, weight}, "conv");
  b.add(Linear{true}, {x, square}, "linear");
  b.add(MatMul{}, {x, batches}, "matmul");
  b.add(Einsum{"bij,bij->bi"}, {x, x}, "einsum");
  b.add(Attention{true, 0.125}, {x, x, x}, "attention");
  b.recurrent(x, "recurrent", Recurrent{RecurrentCell::gru, 2, true, true, false, true, 0.25}, 3,
              {b.parameter("h0", {4, 2, 3})});
  b.add(BatchNorm{1e-3, 0.01}, {x, six, six, six, six}, "batch_norm");
  b.add(LayerNorm{2, 1e-6}, {x}, "layer_norm");
  b.add(RmsNorm{1e-12}, {x, eight}, "rms_norm");
  b.add(GroupNorm{3, 1e-4}, {x, six, six}, "group_norm");
  b.add(LocalResponseNorm{7, 2e-4, 0.5, 2.0}, {x}, "lrn");
  b.add(Unary{UnaryFunction::leaky_relu, false, 0.2}, {x}, "slope");
  b.add(Unary{UnaryFunction::clip, false, std::nullopt, -0.0}, {x}, "clip");
  b.add(Unary{UnaryFunction::hardsigmoid, false, 0.2, 0.5}, {x}, "hardsigmoid");
  const ValueId fresh = b.add(Unary{UnaryFunction::is_inf}, {x}, "unary");
  b.add(Binary{BinaryFunction::logical_xor, true}, {fresh, flags}, "binary");
  b.add(Where{}, {flags, x, eight}, "where");
  b.add(Softmax{-2, true}, {x}, "softmax");
  b.add(Cast{DType::f8}, {x}, "cast");
  b.add(Dropout{0.1 + 0.2, true}, {b.add(Contiguous{}, {batches}, "contiguous")}, "dropout");
  b.add(StochasticDepth{1e-300}, {x}, "depth");
  b.add(Pool{PoolKind::average, {2}, {3}, {1}, {0}, {2}, true, false}, {x}, "pool");
  b.add(AdaptivePool{PoolKind::max, {3}}, {x}, "adaptive");
  b.add(Reduce{ReduceFunction::arg_min, {0, 2}, true}, {x}, "reduce");
  b.add(CumulativeSum{-1}, {x}, "cumsum");
  b.add_all(TopK{5, 1}, {x}, "topk");
  b.add(Reshape{{-1, 12}}, {x}, "reshape");
  b.add(Expand{{3, -1, 6, 8}}, {x}, "expand");
  b.add(Slice{{0, 1}, {0, 5}, {1, -1}, {1, -2}}, {x}, "slice");
  b.add_all(Split{1, {1, 2, 3}}, {x}, "split");
  b.add(Concat{2}, {x, x}, "concat");
  b.add(Pad{{0, -1, 2}, {1, 0, 0}, PadMode::constant, -1e30}, {x}, "pad");
  b.add(Pad{{0, 0, 2}, {0, 0, 0}, PadMode::reflect}, {x}, "reflect");
  b.add(Pad{{0, 0, 2}, {0, 0, 0}, PadMode::edge}, {x}, "edge");
  b.add(Gather{2}, {x, index}, "gather");
  b.add(GatherElements{IndexForm::elements, 2}, {x, index}, "gather_elements");
  const ValueId coordinates = b.input("coordinates", {2, 5, 1}, DType::i64);
  b.add(GatherElements{IndexForm::nd, 0, 1}, {x, coordinates}, "gather_nd");
  b.add(Scatter{IndexForm::elements, 2, ScatterReduction::minimum}, {x, index, x}, "scatter");
  b.add(Resize{ResizeMode::cubic, {2, 6, 9}, true}, {x}, "resize");
  const ValueId places = b.parameter("places", {1, 5, 5, 2});
  b.add(GridSample{GridSampleMode::bicubic, GridSamplePadding::reflection, true},
        {b.parameter("image", {1, 2, 4, 4}), places}, "grid_sample");
  b.add(Roll{{-1, 3}, {2, 1}}, {x}, "roll");
  b.add(Triangle{true, -3}, {x}, "triangle");
  b.add(Generate{{}, DType::boolean}, {}, "generate");
  b.add_all(Opaque{"com.acme", "Fold\"\\\n\t\x01", {{2, 3}, {}}, {DType::f8, DType::u16}}, {x, six},
            "opaque");
  b.add_all(Opaque{"", "Sink", {}, {}}, {x}, "sink");
  return std::move(b).finish({x, x});
}

TEST(TextForm, EveryOpComesBack) {
  const Graph graph = every_op();
  std::vector<bool> covered(std::variant_size_v<Op>, false);
  for (const Node& node : graph.nodes) covered[node.op.index()] = true;
  EXPECT_THAT(covered, testing::Each(true)) << "a new op needs a line in every_op()";
  expect_same(parse_text(to_text(graph), "every.graph"), graph);
}

TEST(TextForm, ConstantsMayHoldData) {
  constexpr const char* text =
      "graph masked\n"
      "input %x f32[2x3]\n"
      "constant %mask f32[2x3] = [0.5,0*3,-100*2]\n"
      "add = binary function=add (%x, %mask) -> %add f32[2x3]\n"
      "constant %again f32[3x2] = %mask\n"
      "constant %which i64[2] = [1,-9223372036854775807]\n"
      "outputs %add\n";
  const Graph graph = parse_text(text, "masked.graph");
  EXPECT_EQ(graph.value(1).data->numbers, (std::vector<double>{0.5, 0, 0, 0, -100, -100}));
  EXPECT_EQ(graph.value(3).data, graph.value(1).data);
  EXPECT_EQ(graph.value(4).data->integers, (std::vector<std::int64_t>{1, -9223372036854775807}));
  EXPECT_EQ(to_text(graph), text);

  const auto fault_of = [](const std::string& line) {
    try {
      (void)parse_text("graph g\n" + line + "\ninput %x f32[1]\noutputs %x\n", "g");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(fault_of("constant %c f32[2] = [1]"), testing::HasSubstr("1 elements of data for"));
  EXPECT_THAT(fault_of("parameter %c f32[1] = [1]"), testing::HasSubstr("is not a constant"));
  EXPECT_THAT(fault_of("constant %c i64[1] = [1.5]"),
              testing::HasSubstr("'1.5' is not an element"));
  EXPECT_THAT(fault_of("constant %c i64[1] = [1*0]"),
              testing::HasSubstr("'1*0' is not an element"));
  EXPECT_THAT(fault_of("constant %c i64[1] = [1*99999999]"), testing::HasSubstr("more than"));
  EXPECT_THAT(fault_of("constant %a i64[1]\nconstant %c i64[1] = %a"),
              testing::HasSubstr("expected one constant"));
}

/// The line of a node whose op reads x.
std::string line_of(const Op& op) {
  GraphBuilder b("g");
  const ValueId x = b.input("x", {2, 6, 8, 8});
  const ValueId y = b.add(op, {x}, "y");
  const std::string text = to_text(std::move(b).finish({y}));
  const std::size_t begin = text.find("y = ");
  return text.substr(begin, text.find(" (", begin) - begin);
}

TEST(TextForm, AttributesAreWrittenWhereTheyAreNotTheDefault) {
  EXPECT_EQ(line_of(LayerNorm{}), "y = layer_norm");
  EXPECT_EQ(line_of(LayerNorm{1, 1e-6}), "y = layer_norm epsilon=1e-06");
  EXPECT_EQ(line_of(RmsNorm{1e-12}), "y = rms_norm epsilon=1e-12");
  EXPECT_EQ(line_of(GroupNorm{2}), "y = group_norm groups=2");
  EXPECT_EQ(line_of(LocalResponseNorm{5, 1e-4, 0.5}), "y = local_response_norm beta=0.5");
  EXPECT_EQ(line_of(Unary{UnaryFunction::elu}), "y = unary function=elu");
  EXPECT_EQ(line_of(Unary{UnaryFunction::elu, false, 1.0}), "y = unary function=elu alpha=1");
  EXPECT_EQ(line_of(Unary{UnaryFunction::clip, false, std::nullopt, 6.0}),
            "y = unary function=clip beta=6");
  EXPECT_EQ(line_of(Triangle{false, 2}), "y = triangle diagonal=2");
  EXPECT_NE(
      to_text(every_op()).find("scatter form=elements axis=2 reduction=minimum (%x, %index, "),
      std::string::npos);
  EXPECT_EQ(line_of(Roll{{-3, 2}, {2, 3}}), "y = roll shifts=[-3,2] axes=[2,3]");
  EXPECT_EQ(line_of(Pad{{0, 0, 1, 1}, {0, 0, 1, 1}, PadMode::reflect}),
            "y = pad begin=[0,0,1,1] end=[0,0,1,1] mode=reflect");
  EXPECT_EQ(line_of(Pad{{0, 0, 1, 1}, {0, 0, 1, 1}, PadMode::constant, -0.5}),
            "y = pad begin=[0,0,1,1] end=[0,0,1,1] mode=constant value=-0.5");
  EXPECT_EQ(line_of(Resize{ResizeMode::linear, {2, 6, 9, 9}, true}),
            "y = resize mode=linear output=[2,6,9,9] align_corners=true");
}

TEST(TextForm, WhatIsLeftOutHasItsDefault) {
  const Graph graph = parse_text(
      "graph g\ninput %x f32[2x6x8x8]\n"
      "a = unary function=leaky_relu (%x) -> %a f32[2x6x8x8]\n"
      "b = local_response_norm (%a) -> %b f32[2x6x8x8]\n"
      "c = layer_norm (%b) -> %c f32[2x6x8x8]\n"
      "outputs %c\n",
      "g");
  EXPECT_EQ(graph.nodes[0].op, Op((Unary{UnaryFunction::leaky_relu})));
  EXPECT_FALSE(std::get<Unary>(graph.nodes[0].op).alpha.has_value());
  EXPECT_EQ(graph.nodes[1].op, Op((LocalResponseNorm{5, 1e-4, 0.75, 1.0})));
  EXPECT_EQ(graph.nodes[2].op, Op((LayerNorm{1, 1e-5})));
}

TEST(TextForm, OddNamesComeBack) {
  GraphBuilder b("name with blank");
  const ValueId x = b.input("onnx::Conv_193", {2, 3});
  b.parameter("/layer1/layer1.0/Conv_output_0", {});
  b.parameter("a\"b\\c\n\t\x7f", {});
  b.parameter("\xc3\xa9t\xc3\xa9", {});  // UTF-8
  b.set_training_only(true);
  b.add(Softmax{}, {x}, "outputs");
  b.add(Softmax{}, {x}, "input");
  b.add(Softmax{}, {x}, "a -> b (c)@3");
  b.hold(x);
  b.issue_as("a class");
  const Graph graph = std::move(b).finish({x});
  const std::string text = to_text(graph);
  EXPECT_THAT(text, HasSubstr("graph \"name with blank\"\n"));
  EXPECT_THAT(text, HasSubstr("parameter %/layer1/layer1.0/Conv_output_0 f32[]\n"));
  EXPECT_THAT(text, HasSubstr("parameter %\"a\\\"b\\\\c\\n\\t\\x7f\" f32[]\n"));
  EXPECT_THAT(text, HasSubstr("parameter %\"\xc3\xa9t\xc3\xa9\" f32[]\n"));
  EXPECT_THAT(text, HasSubstr("outputs = training_only softmax (%onnx::Conv_193) -> %outputs"));
  EXPECT_THAT(text,
              HasSubstr("training_only holds (%onnx::Conv_193) issued_as \"a class\" softmax"));
  expect_same(parse_text(text, "odd.graph"), graph);
}

TEST(TextForm, IdsInAnotherOrderComeBack) {
  // Results before inputs, parameters last, inputs listed against their ids.
  Graph graph;
  graph.name = "mixed";
  graph.values = {
      {"z", ValueKind::result, {DType::f32, {2}}, 1},
      {"y", ValueKind::result, {DType::f32, {2}}, 0},
      {"b", ValueKind::input, {DType::f32, {2}}, -1},
      {"a", ValueKind::input, {DType::f32, {2}}, -1},
      {"w", ValueKind::parameter, {DType::f32, {2}}, -1},
      {"unused", ValueKind::buffer, {DType::i32, {0, 3}}, -1},
  };
  graph.nodes = {{"n0", Binary{BinaryFunction::add}, {3, 4}, {1}},
                 {"n1", Binary{BinaryFunction::mul}, {1, 2}, {0}}};
  graph.inputs = {3, 2};
  graph.outputs = {0, 1};
  expect_same(parse_text(to_text(graph), "mixed.graph"), graph);
}

struct Fault {
  std::string text;
  int line;
  int column;
  std::string message;
};

class TextFormFault : public testing::TestWithParam<Fault> {};

TEST_P(TextFormFault, IsLocated) {
  try {
    (void)parse_text(GetParam().text, "bad.graph");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
    EXPECT_EQ(error.location().file, "bad.graph");
    EXPECT_EQ(error.location().line, GetParam().line);
    EXPECT_EQ(error.location().column, GetParam().column);
  }
}

std::string with_input(const std::string& rest) { return "graph g\ninput %x f32[2x3]\n" + rest; }

INSTANTIATE_TEST_SUITE_P(
    Faults, TextFormFault,
    testing::Values(
        Fault{"", 1, 1, "'graph NAME'"}, Fault{"input %x f32[2]\n", 1, 1, "the first line must be"},
        Fault{"graph \n", 1, 7, "the graph's name"}, Fault{"graph g h\n", 1, 9, "end of the line"},
        Fault{"graph g\ninput %x f32[2]\n", 2, 1, "'outputs' is missing"},
        Fault{"graph g\ninput x f32[2]\n", 2, 7, "expected '%'"},
        Fault{"graph g\ninput %x f31[2]\n", 2, 10, "'f31' is not a valid element type"},
        Fault{"graph g\ninput %x f32[2y3]\n", 2, 15, "expected ']'"},
        Fault{"graph g\ninput %x f32[99999999999999999999]\n", 2, 14, "64 bits"},
        Fault{"graph g\nvariable %x f32[2]\n", 2, 1, "'variable' starts no line"},
        Fault{with_input("input %x f32[2]\n"), 3, 7, "defined already"},
        Fault{with_input("y = unray (%x) -> %y f32[2x3]\n"), 3, 5, "unknown op 'unray'"},
        Fault{with_input("y = unary kind=relu (%x) -> %y f32[2x3]\n"), 3, 11, "no attribute"},
        Fault{with_input("y = unary function=rulu (%x) -> %y f32[2x3]\n"), 3, 20, "unary function"},
        Fault{with_input("y = unary inplace=false inplace=true (%x)"), 3, 25, "given twice"},
        Fault{with_input("y = unary inplace=yes (%x)"), 3, 19, "truth value"},
        Fault{with_input("y = dropout p=half (%x)"), 3, 15, "not a valid number"},
        Fault{with_input("y = dropout p=nan (%x)"), 3, 15, "not a valid number"},
        Fault{with_input("y = unary alpha=steep (%x)"), 3, 17, "not a valid number"},
        Fault{with_input("y = pad mode=wrap (%x)"), 3, 14, "way of padding"},
        Fault{with_input("y = unary function=relu (%z) -> %y f32[2]\n"), 3, 26,
              "not defined above"},
        Fault{with_input("y = unary function=relu %x\n"), 3, 25, "expected an attribute or '('"},
        Fault{with_input("y = unary function=relu (%x\n"), 3, 28, "expected ')'"},
        Fault{with_input("y = unary function=relu (%x) %y f32[2]\n"), 3, 30, "expected '->'"},
        Fault{with_input("y = unary (%x) -> %y f32[2x3],\n"), 3, 31, "after ','"},
        Fault{with_input("y = einsum equation=\"ij->ij (%x)\n"), 3, 21, "does not end"},
        Fault{with_input("y = einsum equation=\"\\q\" (%x)\n"), 3, 22, "unknown escape"},
        Fault{with_input("y = einsum equation=\"\\x1"), 3, 22, "unknown escape"},
        Fault{with_input("outputs %x\ninput %z f32[1]\n"), 4, 1, "nothing may follow"},
        Fault{with_input("buffer %b@5 f32[1]\noutputs %x\n"), 3, 8, "leaves a gap"},
        Fault{with_input("buffer %b@0 f32[1]\noutputs %x\n"), 3, 8, "taken already"},
        Fault{with_input("buffer %b@-1 f32[1]\noutputs %x\n"), 3, 8, "out of range"},
        Fault{with_input("y = grid_sample mode=cubic (%x)"), 3, 22, "way of sampling"},
        Fault{with_input("y = recurrent cell=peephole (%x)"), 3, 20, "recurrent cell"},
        // Found by the verifier, shown at the line that made it.
        Fault{"graph g\ninput %x f32[1x2x4x4x4]\ninput %g f32[1x4x4x4x3]\n"
              "y = grid_sample mode=bicubic (%x, %g) -> %y f32[1x2x4x4x4]\noutputs %y\n",
              4, 1, "bicubic sampling is for two spatial dimensions"},
        Fault{with_input("\n y = unary function=relu (%x) -> %y f32[3x2]\noutputs %y\n"), 4, 2,
              "node 'y': the result is f32 2x3"},
        Fault{with_input("buffer %b f32[-1]\noutputs %x\n"), 3, 8, "negative extent"},
        Fault{with_input("outputs\n"), 3, 1, "no output"}));

TEST(TextForm, UnknownOpGetsAHint) {
  try {
    (void)parse_text(with_input("y = unray (%x)"), "bad.graph");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean 'unary'?");
  }
}

}  // namespace
}  // namespace rooflab::graph
