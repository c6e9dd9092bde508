#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_text.hpp"

// By hand: a product of [m, k] and [k, n] takes 2 m k n FLOPs; bytes are those of its operands.

namespace rooflab::recording {
namespace {

using testing::ElementsAre;

/// x [8, 4] times the weight [6, 4], with a bias, and both gradients.
RecordingText linear_layer() {
  RecordingText text;
  const int fc = text.module("fc", "Linear");
  const int x = text.input("f32", {8, 4});
  const int w = text.parameter("f32", {6, 4}, "fc.weight");
  const int b = text.parameter("f32", {6}, "fc.bias");
  const int wt = text.view(w, "f32", {4, 6}, {1, 4});
  const int y = text.tensor("f32", {8, 6});
  text.at("forward", fc);
  text.op("aten.t", {w}, {wt});
  text.op("aten.addmm", {b, x, wt}, {y});
  text.at("backward", fc);
  const int dy = text.tensor("f32", {8, 6});
  const int dx = text.tensor("f32", {8, 4});
  const int dw = text.tensor("f32", {6, 4});
  text.op("aten.mm", {dy, w}, {dx});
  const int dyt = text.view(dy, "f32", {6, 8}, {1, 6});
  text.op("aten.t", {dy}, {dyt});
  text.op("aten.mm", {dyt, x}, {dw});
  return text;
}

TEST(MatrixRules, LinearLayerAndItsGradients) {
  const schedule::Schedule s = linear_layer().lowered();
  EXPECT_THAT(entry_lines(s), ElementsAre("forward linear: 384 + 48 FLOPs, 248 + 192 B",
                                          "data_gradient linear: 384 + 0 FLOPs, 288 + 128 B",
                                          "weight_gradient linear: 384 + 0 FLOPs, 320 + 96 B"));
}

TEST(MatrixRules, AGradientBelongsToTheNodeOfItsForwardPass) {
  const schedule::Schedule s = linear_layer().lowered();
  std::vector<graph::NodeId> nodes;
  for (const schedule::ScheduledOp& op : s.ops) {
    if (std::holds_alternative<schedule::NodeWork>(op.work)) nodes.push_back(op.node);
  }
  ASSERT_EQ(nodes.size(), 3);
  EXPECT_EQ(nodes[1], nodes[0]);
  EXPECT_EQ(nodes[2], nodes[0]);
  const graph::Node& node = s.graph.nodes[static_cast<std::size_t>(nodes[0])];
  EXPECT_EQ(node.name, "fc");
  EXPECT_EQ(s.graph.value(node.inputs[1]).name, "fc.weight");
  EXPECT_EQ(s.graph.value(node.inputs[1]).kind, graph::ValueKind::parameter);
}

// The other order of the second gradient: x^T dy, [4, 8] times [8, 6].
TEST(MatrixRules, TheWeightGradientMayBeTransposed) {
  RecordingText text = linear_layer();
  const int x = 0;
  const int xt = text.view(x, "f32", {4, 8}, {1, 4});
  const int dw = text.tensor("f32", {4, 6});
  text.op("aten.mm", {xt, 5}, {dw});
  EXPECT_EQ(entry_lines(text.lowered()).back(),
            "weight_gradient linear: 384 + 0 FLOPs, 320 + 96 B");
}

// Under autocast the product reads a cast of the weight: 24 elements of 2 bytes.
TEST(MatrixRules, ACastOfAWeightIsTheWeight) {
  RecordingText text;
  const int x = text.input("bf16", {8, 4});
  const int w = text.parameter("f32", {6, 4});
  const int w16 = text.tensor("bf16", {6, 4});
  const int wt = text.view(w16, "bf16", {4, 6}, {1, 4});
  const int y = text.tensor("bf16", {8, 6});
  text.at("forward", -1, R"(,"autocast":"bf16")");
  text.op("aten._to_copy", {w}, {w16}, R"("dtype":"bf16")");
  text.op("aten.t", {w16}, {wt});
  text.op("aten.mm", {x, wt}, {y});
  text.at("backward", -1);
  const int dx = text.tensor("bf16", {8, 4});
  const int dw = text.tensor("bf16", {6, 4});
  const int dw32 = text.tensor("f32", {6, 4}, R"(,"role":"gradient","name":"weight")");
  const int yt = text.view(y, "bf16", {6, 8}, {1, 6});
  text.op("aten.mm", {y, w16}, {dx});
  text.op("aten.mm", {yt, x}, {dw});
  text.op("aten._to_copy", {dw}, {dw32}, R"("dtype":"f32")");
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(s.precision, Precision::amp_bf16);
  EXPECT_THAT(entry_lines(s), ElementsAre("forward cast: 0 + 0 FLOPs, 96 + 48 B",
                                          "forward linear: 384 + 0 FLOPs, 112 + 96 B",
                                          "data_gradient linear: 384 + 0 FLOPs, 144 + 64 B",
                                          "weight_gradient linear: 384 + 0 FLOPs, 160 + 48 B",
                                          "backward cast: 0 + 0 FLOPs, 48 + 96 B"));
  EXPECT_EQ(cost::cost_of(s, s.ops[2])->matrix_type, DType::bf16);
}

// GPT-2's Conv1D keeps its weight as [in, out].
TEST(MatrixRules, AWeightMayLieInByOut) {
  RecordingText text;
  const int x = text.input("f32", {8, 4});
  const int w = text.parameter("f32", {4, 6});
  const int y = text.tensor("f32", {8, 6});
  text.op("aten.mm", {x, w}, {y});
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(entry_line(s, s.ops[0]), "forward linear: 384 + 0 FLOPs, 224 + 192 B");
  EXPECT_TRUE(std::get<graph::Linear>(s.graph.nodes[0].op).weight_in_by_out);
}

TEST(MatrixRules, OtherProductsAreProductsOfTwoTensors) {
  RecordingText text;
  const int a = text.input("f32", {2, 3, 4});
  const int b = text.input("f32", {2, 4, 5});
  const int c = text.tensor("f32", {2, 3, 5});
  const int bias = text.tensor("f32", {2, 3, 5});
  text.op("aten.bmm", {a, b}, {c});
  text.op("aten.baddbmm", {bias, a, b}, {c});
  text.op("aten.baddbmm", {bias, a, b}, {c}, R"("beta":0)");  // what is added is not read
  const int m = text.input("f32", {3, 4});
  const int v = text.input("f32", {4});
  text.op("aten.mv", {m, v}, {text.tensor("f32", {3})});
  text.op("aten.dot", {v, v}, {text.tensor("f32", {})});
  EXPECT_THAT(entry_lines(text.lowered()), ElementsAre("forward matmul: 240 + 0 FLOPs, 256 + 120 B",
                                                       "forward matmul: 240 + 0 FLOPs, 376 + 120 B",
                                                       "forward matmul: 240 + 0 FLOPs, 256 + 120 B",
                                                       "forward matmul: 24 + 0 FLOPs, 64 + 12 B",
                                                       "forward matmul: 8 + 0 FLOPs, 16 + 4 B"));
}

// [16, 32] times [32, 16] in 8 bits: 2 * 16 * 16 * 32; both scales (4 bytes) and the bias are read.
TEST(MatrixRules, AScaledProductReadsItsScales) {
  RecordingText text;
  const int a = text.input("f8", {16, 32});
  const int b = text.input("f8", {32, 16});
  const int scale_a = text.tensor("f32", {});
  const int scale_b = text.tensor("f32", {});
  const int bias = text.tensor("bf16", {16});
  const int y = text.tensor("bf16", {16, 16});
  text.op("aten._scaled_mm", {a, b, scale_a, scale_b, bias, nullptr}, {y});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward matmul: 16384 + 0 FLOPs, 1064 + 512 B"));
}

// Two groups. Rows belong to one group each, so that forward and data gradient are 2 * 6 * 4 * 5
// FLOPs; the weight gradient sums over the rows of a group, 2 * 4 * 6 * 5 over both.
TEST(MatrixRules, GroupedProductsCountEachRowOnce) {
  RecordingText text;
  const int x = text.input("bf16", {6, 4});
  const int w = text.parameter("bf16", {2, 4, 5});
  const int ends = text.input("i32", {2});
  const int y = text.tensor("bf16", {6, 5});
  text.op("aten._grouped_mm", {x, w, ends, nullptr}, {y});
  const int xt = text.view(x, "bf16", {4, 6}, {1, 4});
  const int dw = text.tensor("bf16", {2, 4, 5});
  text.at("backward");
  text.op("aten._grouped_mm", {xt, y, ends, nullptr}, {dw});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward matmul: 240 + 0 FLOPs, 136 + 60 B",
                          "data_gradient matmul: 240 + 0 FLOPs, 116 + 80 B"));
}

// 3 rows meet 3 of 8 matrices: 24 + 3 x 40 + 32 bytes are read.
TEST(MatrixRules, GroupsWithoutARowLeaveTheirMatrixAlone) {
  RecordingText text;
  const int x = text.input("bf16", {3, 4});
  const int w = text.parameter("bf16", {8, 4, 5});
  text.op("aten._grouped_mm", {x, w, text.input("i32", {8}), nullptr},
          {text.tensor("bf16", {3, 5})});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward matmul: 120 + 0 FLOPs, 176 + 30 B"));
}

// ---- convolutions: MACs are elements of the result times channels of a group times the kernel
// ----

constexpr const char* padded = R"("stride":[1,1],"padding":[1,1],"dilation":[1,1],"groups":1)";

TEST(ConvolutionRules, ConvolutionWithABiasAndItsGradients) {
  RecordingText text;
  const int conv = text.module("conv", "Conv2d");
  const int x = text.input("f32", {2, 3, 8, 8});
  const int w = text.parameter("f32", {4, 3, 3, 3});
  const int b = text.parameter("f32", {4}, "bias");
  const int y = text.tensor("f32", {2, 4, 8, 8});
  text.at("forward", conv);
  text.op("aten.convolution", {x, w, b}, {y}, padded);
  text.at("backward", conv);
  const int dy = text.tensor("f32", {2, 4, 8, 8});
  const int dx = text.tensor("f32", {2, 3, 8, 8});
  const int dw = text.tensor("f32", {4, 3, 3, 3});
  const int db = text.tensor("f32", {4});
  text.op("aten.convolution_backward", {dy, x, w}, {dx, dw, db}, padded);
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(entry_lines(s),
              ElementsAre("forward conv2d: 27648 + 0 FLOPs, 1968 + 2048 B",
                          "forward bias_add: 0 + 512 FLOPs, 2064 + 2048 B",
                          "data_gradient conv2d: 27648 + 0 FLOPs, 2480 + 1536 B",
                          "weight_gradient conv2d: 27648 + 0 FLOPs, 3584 + 432 B",
                          "weight_gradient bias_gradient: 0 + 512 FLOPs, 2048 + 16 B"));
  for (const schedule::ScheduledOp& op : s.ops) EXPECT_EQ(op.node, s.ops[0].node);
}

TEST(ConvolutionRules, OnlyTheGradientsThatTheOpGaveBackAreWork) {
  RecordingText text;
  const int x = text.input("f32", {2, 3, 8, 8});
  const int w = text.parameter("f32", {4, 3, 3, 3});
  const int dy = text.tensor("f32", {2, 4, 8, 8});
  text.at("backward");
  text.op("aten.convolution_backward", {dy, x, w},
          {nullptr, text.tensor("f32", {4, 3, 3, 3}), nullptr}, padded);
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("weight_gradient conv2d: 27648 + 0 FLOPs, 3584 + 432 B"));
}

// The native depthwise kernel adds its bias itself, cuDNN's (channels last) does not.
TEST(ConvolutionRules, DepthwiseConvolutionTakesItsBias) {
  RecordingText text;
  const int x = text.input("f32", {2, 4, 8, 8});
  const int w = text.parameter("f32", {4, 1, 3, 3});
  const int b = text.parameter("f32", {4}, "bias");
  const int y = text.tensor("f32", {2, 4, 8, 8});
  const std::string groups = R"("stride":[1,1],"padding":[1,1],"groups":4)";
  text.op("aten.convolution", {x, w, b}, {y}, groups);
  const int last = text.view(x, "f32", {2, 4, 8, 8}, {256, 1, 32, 4});
  text.op("aten.convolution", {last, w, b}, {y}, groups);
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward conv2d: 9216 + 512 FLOPs, 2208 + 2048 B",
                          "forward conv2d: 9216 + 0 FLOPs, 2192 + 2048 B",
                          "forward bias_add: 0 + 512 FLOPs, 2064 + 2048 B"));
}

// Transposed: elements of the input times channels of a group's result times the kernel.
TEST(ConvolutionRules, TransposedConvolution) {
  RecordingText text;
  const int x = text.input("f32", {2, 4, 4, 4});
  const int w = text.parameter("f32", {4, 3, 2, 2});
  const int y = text.tensor("f32", {2, 3, 8, 8});
  text.op("aten.convolution", {x, w, nullptr}, {y},
          R"("stride":[2,2],"padding":[0,0],"transposed":true,"output_padding":[0,0],"groups":1)");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward conv_transpose2d: 3072 + 0 FLOPs, 704 + 1536 B"));
}

// One number stands for all dimensions of an image.
TEST(ConvolutionRules, ConvolutionOfOneDimension) {
  RecordingText text;
  const int x = text.input("f32", {2, 3, 8});
  const int w = text.parameter("f32", {4, 3, 3});
  const int y = text.tensor("f32", {2, 4, 6});
  text.op("aten.convolution", {x, w, nullptr}, {y}, R"("stride":[1],"padding":[0])");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward conv1d: 864 + 0 FLOPs, 336 + 192 B"));
}

}  // namespace
}  // namespace rooflab::recording
