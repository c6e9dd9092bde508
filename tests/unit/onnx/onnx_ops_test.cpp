// Single ops: one node in a file, the graph ops and shapes it becomes. Expected shapes are from the
// ONNX operator specification's formulas, worked out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "../base/note_matchers.hpp"
#include "base/format.hpp"
#include "onnx_writer.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;
using Integers = std::vector<std::int64_t>;

/// A file with one node between one input and its outputs.
struct Case {
  std::string name;
  std::int64_t opset = 17;
  Extents input;
  std::vector<std::string> initializers;
  NodeSpec node;       ///< its first input is "x", its outputs y, y2, ...
  std::string ops;     ///< ops of the graph, blank separated
  std::string shapes;  ///< shapes of the outputs, blank separated
  std::int32_t type = float_type;
};

void PrintTo(const Case& the_case, std::ostream* stream) { *stream << the_case.name; }

class SingleOp : public testing::TestWithParam<Case> {};

TEST_P(SingleOp, BecomesTheExpectedOpsAndShapes) {
  const Case& the_case = GetParam();
  GraphWriter graph;
  graph.input("x", the_case.input, the_case.type);
  for (const std::string& initializer : the_case.initializers) graph.initializer(initializer);
  graph.add(the_case.node);
  for (const std::string& name : the_case.node.outputs) graph.output(name);
  const ImportResult result = read_onnx_bytes(model(graph, the_case.opset), "m.onnx");
  std::vector<std::string> ops;
  for (const graph::Node& node : result.graph.nodes) ops.push_back(name_of(node.op));
  std::vector<std::string> shapes;
  for (const graph::ValueId id : result.graph.outputs) {
    shapes.push_back(result.graph.type(id).shape.to_string());
  }
  EXPECT_EQ(join(ops, " "), the_case.ops);
  EXPECT_EQ(join(shapes, " "), the_case.shapes);
}

const std::vector<std::string> no_data;

// One case a paragraph reads better than one field a line.
// clang-format off
std::vector<Case> convolution_and_pooling() {
  return {
      {"ConvSame", 17, {1, 3, 9, 10}, {weight("w", {4, 3, 3, 3})}, {"Conv", {"x", "w"}, {"y"},
       {attribute_text("auto_pad", "SAME_UPPER"), attribute("strides", Dims{2, 2})}}, "conv2d",
       "1x4x5x5"},
      {"ConvDilatedGroups", 17, {2, 4, 10, 10}, {weight("w", {8, 2, 3, 3}), weight("b", {8})},
       {"Conv", {"x", "w", "b"}, {"y"},
       {attribute("dilations", Dims{2, 2}), attribute("group", std::int64_t{2}),
       attribute("pads", Dims{1, 0, 1, 0})}}, "conv2d", "2x8x8x6"},
      {"Conv1d", 17, {1, 2, 20}, {weight("w", {6, 2, 5})}, {"Conv", {"x", "w"}, {"y"}}, "conv1d",
       "1x6x16"},
      {"Conv3d", 17, {1, 2, 8, 8, 8}, {weight("w", {3, 2, 3, 3, 3})}, {"Conv", {"x", "w"}, {"y"}},
       "conv3d", "1x3x6x6x6"},
      {"ConvTranspose", 17, {1, 8, 9, 9}, {weight("w", {8, 4, 3, 3})}, {"ConvTranspose", {"x", "w"},
       {"y"}, {attribute("strides", Dims{2, 2}), attribute("pads", Dims{1, 1, 1, 1}),
       attribute("output_padding", Dims{1, 1})}}, "conv_transpose2d", "1x4x18x18"},
      {"ConvTransposeOutputShape", 17, {1, 8, 9, 9}, {weight("w", {8, 4, 3, 3})}, {"ConvTranspose",
       {"x", "w"}, {"y"},
       {attribute("strides", Dims{2, 2}), attribute("output_shape", Dims{18, 17})}},
       "conv_transpose2d", "1x4x18x17"},
      {"MaxPoolCeil", 17, {1, 2, 6, 6}, no_data, {"MaxPool", {"x"}, {"y"},
       {attribute("kernel_shape", Dims{3, 3}), attribute("strides", Dims{2, 2}),
       attribute("ceil_mode", std::int64_t{1})}}, "max_pool2d", "1x2x3x3"},
      {"AveragePoolSameLower", 17, {1, 2, 7, 7}, no_data, {"AveragePool", {"x"}, {"y"},
       {attribute("kernel_shape", Dims{2, 2}), attribute("strides", Dims{2, 2}),
       attribute_text("auto_pad", "SAME_LOWER")}}, "avg_pool2d", "1x2x4x4"},
      {"GlobalAveragePool", 7, {2, 5, 7, 7}, no_data, {"GlobalAveragePool", {"x"}, {"y"}},
       "adaptive_avg_pool2d", "2x5x1x1"},
  };
}

std::vector<Case> products() {
  return {
      {"GemmLinear", 17, {4, 3}, {weight("w", {5, 3}), weight("b", {5})},
       {"Gemm", {"x", "w", "b"}, {"y"}, {attribute("transB", std::int64_t{1})}}, "linear", "4x5"},
      {"GemmScaled", 17, {4, 3}, {weight("w", {3, 5}), weight("b", {5})},
       {"Gemm", {"x", "w", "b"}, {"y"}, {attribute_float("alpha", 0.5F)}}, "linear mul add", "4x5"},
      {"GemmTransposedLeft", 17, {3, 4}, {weight("w", {3, 5})},
       {"Gemm", {"x", "w"}, {"y"}, {attribute("transA", std::int64_t{1})}}, "transpose linear",
       "4x5"},
      {"GemmOfActivations", 17, {4, 4}, no_data, {"Gemm", {"x", "x"}, {"y"}}, "matmul", "4x4"},
      {"MatMulBatched", 17, {2, 6, 3}, {weight("w", {2, 3, 5})}, {"MatMul", {"x", "w"}, {"y"}},
       "matmul", "2x6x5"},
      {"MatMulByWeight", 17, {2, 6, 3}, {weight("w", {3, 5})}, {"MatMul", {"x", "w"}, {"y"}},
       "linear", "2x6x5"},
      {"Einsum", 17, {2, 3, 4}, {weight("w", {4, 5})},
       {"Einsum", {"x", "w"}, {"y"}, {attribute_text("equation", "...i, ij -> ...j")}}, "einsum",
       "2x3x5"},
      {"EinsumOfOne", 17, {2, 3, 4}, no_data,
       {"Einsum", {"x"}, {"y"}, {attribute_text("equation", "abc->ca")}}, "sum transpose", "4x2"},
      {"EinsumOfThree", 17, {2, 3}, {weight("v", {3, 4}), weight("w", {4, 5})},
       {"Einsum", {"x", "v", "w"}, {"y"}, {attribute_text("equation", "ab,bc,cd->ad")}},
       "einsum einsum", "2x5"},
      {"AttentionMerged", 23, {2, 10, 32}, no_data, {"Attention", {"x", "x", "x"}, {"y"},
       {attribute("q_num_heads", std::int64_t{4}), attribute("kv_num_heads", std::int64_t{4})}},
       "reshape transpose reshape transpose reshape transpose attention transpose reshape",
       "2x10x32"},
  };
}

std::vector<Case> normalisation_and_activation() {
  return {
      {"LayerNorm", 17, {2, 3, 8}, {weight("w", {3, 8})},
       {"LayerNormalization", {"x", "w"}, {"y"}, {attribute("axis", std::int64_t{1})}},
       "layer_norm", "2x3x8"},
      {"RmsNorm", 23, {2, 3, 8}, {weight("w", {8})}, {"RMSNormalization", {"x", "w"}, {"y"}},
       "rms_norm", "2x3x8"},
      {"InstanceNorm", 17, {2, 6, 4, 4}, {weight("w", {6}), weight("b", {6})},
       {"InstanceNormalization", {"x", "w", "b"}, {"y"}}, "group_norm", "2x6x4x4"},
      {"Lrn", 17, {1, 8, 5, 5}, no_data,
       {"LRN", {"x"}, {"y"}, {attribute("size", std::int64_t{5})}}, "local_response_norm",
       "1x8x5x5"},
      {"Clip6", 17, {2, 3}, {floats("lo", {0.0F}, true), floats("hi", {6.0F}, true)},
       {"Clip", {"x", "lo", "hi"}, {"y"}}, "relu6", "2x3"},
      {"ClipAttributes", 7, {2, 3}, no_data,
       {"Clip", {"x"}, {"y"}, {attribute_float("min", -1.0F), attribute_float("max", 1.0F)}},
       "clip", "2x3"},
      {"GeluTanh", 20, {2, 3}, no_data,
       {"Gelu", {"x"}, {"y"}, {attribute_text("approximate", "tanh")}}, "gelu_tanh", "2x3"},
      {"SoftmaxOld", 11, {2, 3, 4}, no_data, {"Softmax", {"x"}, {"y"}}, "reshape softmax reshape",
       "2x3x4"},
      {"SoftmaxNew", 13, {2, 3, 4}, no_data,
       {"Softmax", {"x"}, {"y"}, {attribute("axis", std::int64_t{1})}}, "softmax", "2x3x4"},
      {"PRelu", 17, {2, 3, 4, 4}, {weight("s", {3, 1, 1})}, {"PRelu", {"x", "s"}, {"y"}}, "prelu",
       "2x3x4x4"},
      {"SumOfThree", 17, {2, 3}, {weight("w", {3})}, {"Sum", {"x", "w", "x"}, {"y"}}, "add add",
       "2x3"},
      {"MeanOfTwo", 17, {2, 3}, no_data, {"Mean", {"x", "x"}, {"y"}}, "add div", "2x3"},
      {"CastToHalf", 17, {2, 3}, no_data,
       {"Cast", {"x"}, {"y"}, {attribute("to", std::int64_t{10})}}, "cast", "2x3"},
      {"CastToItself", 17, {2, 3}, no_data,
       {"Cast", {"x"}, {"y"}, {attribute("to", std::int64_t{1})}}, "", "2x3"},
      {"Dropout", 12, {2, 3}, no_data, {"Dropout", {"x"}, {"y"}}, "dropout", "2x3"},
  };
}

std::vector<Case> reductions() {
  return {
      {"ReduceMeanAttribute", 13, {2, 3, 4, 4}, no_data, {"ReduceMean", {"x"}, {"y"},
       {attribute("axes", Dims{-1, -2}), attribute("keepdims", std::int64_t{0})}}, "mean", "2x3"},
      {"ReduceSumOperand", 13, {2, 3, 4}, {integers("axes", {1})},
       {"ReduceSum", {"x", "axes"}, {"y"}}, "sum", "2x1x4"},
      {"ReduceAll", 13, {2, 3, 4}, no_data, {"ReduceMax", {"x"}, {"y"}}, "maximum", "1x1x1"},
      {"ReduceNothing", 18, {2, 3, 4}, no_data,
       {"ReduceSum", {"x"}, {"y"}, {attribute("noop_with_empty_axes", std::int64_t{1})}}, "",
       "2x3x4"},
      {"ArgMax", 13, {2, 3, 4}, no_data, {"ArgMax", {"x"}, {"y"},
       {attribute("axis", std::int64_t{-1}), attribute("keepdims", std::int64_t{0})}}, "arg_max",
       "2x3"},
      {"TopK", 11, {2, 9}, {integers("k", {3})}, {"TopK", {"x", "k"}, {"y", "y2"}}, "topk",
       "2x3 2x3"},
      {"TopKOld", 9, {2, 9}, no_data,
       {"TopK", {"x"}, {"y", "y2"}, {attribute("k", std::int64_t{4})}}, "topk", "2x4 2x4"},
      {"CumSum", 14, {2, 9}, {integers("axis", {1}, true)}, {"CumSum", {"x", "axis"}, {"y"}},
       "cumsum", "2x9"},
  };
}

std::vector<Case> views() {
  return {
      {"ReshapeZeroAndOpen", 13, {2, 3, 4}, {integers("t", {0, -1})},
       {"Reshape", {"x", "t"}, {"y"}}, "reshape", "2x12"},
      {"Flatten", 13, {2, 3, 4}, no_data,
       {"Flatten", {"x"}, {"y"}, {attribute("axis", std::int64_t{2})}}, "reshape", "6x4"},
      {"SqueezeAll", 13, {1, 3, 1}, no_data, {"Squeeze", {"x"}, {"y"}}, "reshape", "3"},
      {"SqueezeAttribute", 11, {1, 3, 1}, no_data,
       {"Squeeze", {"x"}, {"y"}, {attribute("axes", Dims{-1})}}, "reshape", "1x3"},
      {"Unsqueeze", 13, {2, 3}, {integers("axes", {0, 3})}, {"Unsqueeze", {"x", "axes"}, {"y"}},
       "reshape", "1x2x3x1"},
      {"TransposeDefault", 13, {2, 3, 4}, no_data, {"Transpose", {"x"}, {"y"}}, "transpose",
       "4x3x2"},
      {"ExpandBothWays", 13, {3, 1}, {integers("t", {2, 1, 6})}, {"Expand", {"x", "t"}, {"y"}},
       "expand", "2x3x6"},
      {"SliceOperands", 13, {10, 8},
       {integers("s", {-3, 7}), integers("e", {9223372036854775807, -9223372036854775807}),
       integers("a", {0, 1}), integers("st", {1, -2})},
       {"Slice", {"x", "s", "e", "a", "st"}, {"y"}}, "slice", "3x4"},
      {"SliceAttributes", 9, {10, 8}, no_data, {"Slice", {"x"}, {"y"},
       {attribute("starts", Dims{2}), attribute("ends", Dims{100}), attribute("axes", Dims{0})}},
       "slice", "8x8"},
      {"SplitSizes", 13, {2, 9}, {integers("p", {2, 7})},
       {"Split", {"x", "p"}, {"y", "y2"}, {attribute("axis", std::int64_t{1})}}, "split",
       "2x2 2x7"},
      {"SplitUneven", 18, {2, 7}, no_data, {"Split", {"x"}, {"y", "y2", "y3"},
       {attribute("axis", std::int64_t{1}), attribute("num_outputs", std::int64_t{3})}}, "split",
       "2x3 2x3 2x1"},
      {"DepthToSpace", 13, {1, 8, 3, 4}, no_data,
       {"DepthToSpace", {"x"}, {"y"}, {attribute("blocksize", std::int64_t{2})}},
       "reshape transpose reshape", "1x2x6x8"},
      {"SpaceToDepth", 13, {1, 2, 6, 8}, no_data,
       {"SpaceToDepth", {"x"}, {"y"}, {attribute("blocksize", std::int64_t{2})}},
       "reshape transpose reshape", "1x8x3x4"},
  };
}

std::vector<Case> copies_and_indices() {
  return {
      {"Concat", 13, {2, 3}, {weight("w", {2, 5})},
       {"Concat", {"x", "w"}, {"y"}, {attribute("axis", std::int64_t{-1})}}, "concat", "2x8"},
      {"PadOperand", 13, {1, 2, 5, 5}, {integers("p", {0, 0, 1, 2, 0, 0, 3, 4})},
       {"Pad", {"x", "p"}, {"y"}}, "pad", "1x2x9x11"},
      {"PadAttribute", 9, {1, 2, 5, 5}, no_data,
       {"Pad", {"x"}, {"y"}, {attribute("pads", Dims{0, 0, 1, 1, 0, 0, 1, 1})}}, "pad", "1x2x7x7"},
      {"Tile", 13, {2, 1, 3}, {integers("r", {1, 4, 2})}, {"Tile", {"x", "r"}, {"y"}},
       "reshape expand reshape", "2x4x6"},
      {"ResizeScales", 13, {1, 2, 7, 7}, {floats("s", {1.0F, 1.0F, 2.0F, 1.7142857F})},
       {"Resize", {"x", "", "s"}, {"y"}}, "resize", "1x2x14x12"},
      {"ResizeSizes", 13, {1, 2, 7, 7}, {integers("z", {1, 2, 20, 21})},
       {"Resize", {"x", "", "", "z"}, {"y"}, {attribute_text("mode", "linear")}}, "resize",
       "1x2x20x21"},
      {"Upsample7", 7, {1, 2, 7, 7}, no_data,
       {"Upsample", {"x"}, {"y"}, {attribute_floats("scales", {1.0F, 1.0F, 2.0F, 2.0F})}}, "resize",
       "1x2x14x14"},
      {"GatherScalar", 13, {2, 9, 4}, {integers("i", {0}, true)},
       {"Gather", {"x", "i"}, {"y"}, {attribute("axis", std::int64_t{1})}}, "slice reshape", "2x4"},
      {"GatherScalarFromTheEnd", 13, {2, 9, 4}, {integers("i", {-1}, true)},
       {"Gather", {"x", "i"}, {"y"}, {attribute("axis", std::int64_t{2})}}, "slice reshape", "2x9"},
      {"GatherOneOfAVector", 13, {2, 9, 4}, {integers("i", {0})},
       {"Gather", {"x", "i"}, {"y"}, {attribute("axis", std::int64_t{1})}}, "gather", "2x1x4"},
      {"GatherInOrder", 13, {3, 4},
       {tensor("i", int64_type, {1, 3, 1},
               std::string("\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 24))},
       {"Gather", {"x", "i"}, {"y"}}, "reshape", "1x3x1x4"},
      {"GatherElements", 13, {2, 9}, {tensor("i", int64_type, {2, 1}, std::string(16, '\0'))},
       {"GatherElements", {"x", "i"}, {"y"}}, "gather_elements", "2x1"},
      {"GatherND", 13, {2, 3, 4}, {tensor("i", int64_type, {5, 2}, std::string(80, '\0'))},
       {"GatherND", {"x", "i"}, {"y"}}, "gather_elements", "5x4"},
      {"OneHot", 13, {2, 3}, {integers("d", {10}, true), floats("v", {0.0F, 1.0F})},
       {"OneHot", {"x", "d", "v"}, {"y"}}, "reshape equal cast", "2x3x10", int64_type},
      {"RandomLike", 13, {2, 3}, no_data, {"RandomNormalLike", {"x"}, {"y"}}, "generate", "2x3"},
      {"GridSample", 16, {2, 3, 4, 4}, {weight("g", {2, 5, 6, 2})},
       {"GridSample", {"x", "g"}, {"y"}}, "grid_sample", "2x3x5x6"},
      {"GridSampleCubes", 20, {1, 2, 4, 4, 4}, {weight("g", {1, 5, 6, 7, 3})},
       {"GridSample", {"x", "g"}, {"y"}}, "grid_sample", "1x2x5x6x7"},
      {"GridSampleCubicCubes", 20, {1, 2, 4, 4, 4}, {weight("g", {1, 5, 6, 7, 3})},
       {"GridSample", {"x", "g"}, {"y"}, {attribute_text("mode", "cubic")}}, "GridSample",
       "1x2x5x6x7"},
      {"Trilu", 14, {4, 4}, no_data, {"Trilu", {"x"}, {"y"}}, "triu", "4x4"},
      {"Lstm", 14, {20, 2, 32}, {weight("w", {2, 256, 32}), weight("r", {2, 256, 64})}, {"LSTM",
       {"x", "w", "r"}, {"y", "y2", "y3"},
       {attribute("hidden_size", std::int64_t{64}), attribute_text("direction", "bidirectional")}},
       "lstm reshape transpose", "20x2x2x64 2x2x64 2x2x64"},
      {"Quantize", 13, {2, 3}, {floats("s", {0.1F}, true)}, {"QuantizeLinear", {"x", "s"}, {"y"}},
       "div round clip cast", "2x3"},
  };
}

// clang-format on

std::string case_name(const testing::TestParamInfo<Case>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(Windows, SingleOp, testing::ValuesIn(convolution_and_pooling()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Products, SingleOp, testing::ValuesIn(products()), case_name);
INSTANTIATE_TEST_SUITE_P(Pointwise, SingleOp, testing::ValuesIn(normalisation_and_activation()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Reductions, SingleOp, testing::ValuesIn(reductions()), case_name);
INSTANTIATE_TEST_SUITE_P(Views, SingleOp, testing::ValuesIn(views()), case_name);
INSTANTIATE_TEST_SUITE_P(Copies, SingleOp, testing::ValuesIn(copies_and_indices()), case_name);

// ---- attributes that the shapes do not show -----------------------------------------------------

ImportResult read_one(const Extents& input, const std::vector<std::string>& initializers,
                      const NodeSpec& node, std::int64_t opset = 17) {
  GraphWriter graph;
  graph.input("x", input);
  for (const std::string& initializer : initializers) graph.initializer(initializer);
  graph.add(node).output("y");
  return read_onnx_bytes(model(graph, opset), "m.onnx");
}

TEST(OpAttributes, SamePaddingPutsTheOddElementWhereItIsAsked) {
  // 9 positions at stride 2 are 5; (5 - 1) * 2 + 4 - 9 = 3 elements of padding.
  const NodeSpec upper{"Conv",
                       {"x", "w"},
                       {"y"},
                       {attribute_text("auto_pad", "SAME_UPPER"), attribute("strides", Dims{2})}};
  const NodeSpec lower{"Conv",
                       {"x", "w"},
                       {"y"},
                       {attribute_text("auto_pad", "SAME_LOWER"), attribute("strides", Dims{2})}};
  const std::vector<std::string> weights = {weight("w", {1, 1, 4})};
  const ImportResult at_end = read_one({1, 1, 9}, weights, upper);
  const ImportResult at_begin = read_one({1, 1, 9}, weights, lower);
  EXPECT_EQ(std::get<graph::Conv>(at_end.graph.nodes[0].op).padding_begin, Integers{1});
  EXPECT_EQ(std::get<graph::Conv>(at_end.graph.nodes[0].op).padding_end, Integers{2});
  EXPECT_EQ(std::get<graph::Conv>(at_begin.graph.nodes[0].op).padding_begin, Integers{2});
  EXPECT_EQ(std::get<graph::Conv>(at_begin.graph.nodes[0].op).padding_end, Integers{1});
}

TEST(OpAttributes, ReshapeKeepsTheOpenExtent) {
  const ImportResult result =
      read_one({2, 3, 4}, {integers("t", {-1, 4})}, {"Reshape", {"x", "t"}, {"y"}});
  EXPECT_EQ(std::get<graph::Reshape>(result.graph.nodes[0].op).target, (Integers{-1, 4}));
}

TEST(OpAttributes, ARuntimeTargetKeepsTheOpOpaqueAndSaysWhy) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .input("t", {2}, int64_type)
      .add({"Reshape", {"x", "t"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  ASSERT_EQ(result.unknown.size(), 1U);
  EXPECT_EQ(result.unknown[0].op, "Reshape");
  EXPECT_EQ(result.notes.at(0).values.at(0), "Reshape");
  EXPECT_THAT(result.notes.at(0).values.at(1).text(),
              testing::HasSubstr("target shape is known at run time only"));
}

// As long as the data say, at most as long as the inputs say: 80 classes of 5 boxes, or of all 6;
// 12 numbers in two dimensions.
TEST(OpAttributes, AResultWhoseLengthTheDataSayIsTakenAtItsLargest) {
  struct Selection {
    Extents input;
    std::vector<std::string> initializers;
    NodeSpec node;  ///< its first result is "y"
    std::string largest;
  };
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  const std::vector<Selection> selections = {
      {{1, 6, 4},
       {weight("s", {1, 80, 6}), integers("m", {5})},
       {"NonMaxSuppression", {"x", "s", "m"}, {"y"}},
       "400x3"},
      {{1, 6, 4},
       {weight("s", {1, 80, 6}), integers("m", {all})},
       {"NonMaxSuppression", {"x", "s", "m"}, {"y"}},
       "480x3"},
      {{3, 4}, {}, {"NonZero", {"x"}, {"y"}}, "2x12"},
      {{3, 4}, {}, {"Unique", {"x"}, {"y"}}, "12"},
      {{3, 4}, {}, {"Unique", {"x"}, {"y"}, {attribute("axis", std::int64_t{0})}}, "3x4"},
      {{3, 4},
       {integers("c", {1, 0, 1})},
       {"Compress", {"x", "c"}, {"y"}, {attribute("axis", std::int64_t{0})}},
       "3x4"},
  };
  for (const Selection& each : selections) {
    GraphWriter graph;
    graph.input("x", each.input);
    for (const std::string& initializer : each.initializers) graph.initializer(initializer);
    graph.add(each.node);
    graph.add({"Abs", {"y"}, {"z"}});
    graph.output("z");
    const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
    ASSERT_EQ(result.graph.nodes.size(), 2U) << each.node.type;
    EXPECT_TRUE(std::get<graph::Opaque>(result.graph.nodes.front().op).bounded);
    EXPECT_EQ(result.graph.type(result.graph.outputs.front()).shape.to_string(), each.largest);
    EXPECT_EQ(result.notes.at(0).values.at(0), each.node.type);
    EXPECT_THAT(result.notes.at(0).values.at(1).text(),
                testing::EndsWith(format("'y' is taken at its largest, {}", each.largest)));
  }
}

TEST(OpAttributes, WrongNodesAreErrors) {
  EXPECT_THROW(
      (void)read_one({2, 3}, {}, {"Transpose", {"x"}, {"y"}, {attribute("perm", Dims{0, 0})}}),
      Error);
  EXPECT_THROW(
      (void)read_one({2, 3}, {}, {"Softmax", {"x"}, {"y"}, {attribute("axis", std::int64_t{5})}}),
      Error);
  EXPECT_THROW((void)read_one({2, 3}, {integers("t", {4, 4})}, {"Reshape", {"x", "t"}, {"y"}}),
               Error);
  EXPECT_THROW((void)read_one({2, 3}, {weight("w", {4, 5})}, {"MatMul", {"x", "w"}, {"y"}}), Error);
  EXPECT_THROW((void)read_one({2, 3}, {}, {"Relu", {}, {"y"}}), Error);
}

}  // namespace
}  // namespace rooflab::onnx
