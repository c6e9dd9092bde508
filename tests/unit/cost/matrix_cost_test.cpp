// MACs, FLOPs and bytes of matrix ops against figures worked out by hand in the comments.
#include <gtest/gtest.h>

#include "entry_cost.hpp"

namespace rooflab::cost {
namespace {

using graph::GraphBuilder;
using graph::ValueId;

// x 2x3x8x8, 3x3 kernel, padding 1, 4 filters: y 2x4x8x8 = 512 elements, 27 MACs each = 13,824.
// Bytes: x 384 * 4 = 1536; weight 108 * 4 = 432; y 512 * 4 = 2048; bias 16.
GraphBuilder convolution(ValueId& x) {
  GraphBuilder b("net");
  x = b.input("input", {2, 3, 8, 8});
  x = b.unary(x, graph::UnaryFunction::relu, "relu");
  const ValueId scale = b.parameter("scale", {1});
  x = b.binary(x, scale, graph::BinaryFunction::mul, "mul");
  x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
  return b;
}

TEST(MatrixCost, ConvolutionForward) {
  ValueId x = 0;
  GraphBuilder b = convolution(x);
  const schedule::Schedule schedule = inference_of(std::move(b), x);
  const Cost conv = entry_cost(schedule, "conv2d");
  EXPECT_EQ(conv.macs, Macs(13824));
  EXPECT_EQ(conv.matrix_flops, Flops(27648));
  EXPECT_EQ(conv.vector_flops, Flops(0));
  EXPECT_EQ(conv.bytes_read, Bytes(1536 + 432));
  EXPECT_EQ(conv.bytes_written, Bytes(2048));
  const Cost bias = entry_cost(schedule, "bias_add");
  EXPECT_EQ(bias.vector_flops, Flops(512));
  EXPECT_EQ(bias.bytes_read, Bytes(2048 + 16));
  EXPECT_EQ(bias.bytes_written, Bytes(2048));
}

TEST(MatrixCost, ConvolutionGradients) {
  ValueId x = 0;
  GraphBuilder b = convolution(x);
  const schedule::Schedule schedule = training_of(std::move(b), x);
  const Cost data = entry_cost(schedule, "data_gradient conv2d");
  EXPECT_EQ(data.matrix_flops, Flops(27648));
  EXPECT_EQ(data.macs, Macs(0));  // MACs are of the forward pass
  EXPECT_EQ(data.bytes_read, Bytes(2048 + 432));
  EXPECT_EQ(data.bytes_written, Bytes(1536));
  const Cost weight = entry_cost(schedule, "weight_gradient conv2d");
  EXPECT_EQ(weight.matrix_flops, Flops(27648));
  EXPECT_EQ(weight.bytes_read, Bytes(2048 + 1536));
  EXPECT_EQ(weight.bytes_written, Bytes(432));
  const Cost bias = entry_cost(schedule, "weight_gradient bias_gradient");
  EXPECT_EQ(bias.vector_flops, Flops(512));
  EXPECT_EQ(bias.bytes_read, Bytes(2048));
  EXPECT_EQ(bias.bytes_written, Bytes(16));
}

// Grouped: 8 channels in 4 groups, 2 inputs an output: 2*8*6*6 outputs * 2 * 9 = 10,368 MACs.
TEST(MatrixCost, GroupedConvolution) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 8, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 8, .kernel = 3, .groups = 4, .bias = false});
  EXPECT_EQ(entry_cost(inference_of(std::move(b), x), "conv2d").macs, Macs(10368));
}

// Depthwise with its bias inside: 2*8*6*6 = 576 outputs * 9 MACs, 576 additions.
TEST(MatrixCost, DepthwiseConvolutionWithItsBias) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 8, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 8, .kernel = 3, .groups = 8});
  const Cost cost = entry_cost(inference_of(std::move(b), x), "conv2d");
  EXPECT_EQ(cost.macs, Macs(5184));
  EXPECT_EQ(cost.vector_flops, Flops(576));
}

// Transposed: each of 2*6*5*5 = 300 inputs scales a kernel of 4 outputs * 2x2: 4,800 MACs.
TEST(MatrixCost, TransposedConvolution) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {2, 6, 5, 5});
  const ValueId weight = b.parameter("weight", {6, 4, 2, 2});
  const ValueId y = b.add(graph::Conv{.kernel = {2, 2},
                                      .stride = {2, 2},
                                      .padding_begin = {0, 0},
                                      .padding_end = {0, 0},
                                      .dilation = {1, 1},
                                      .transposed = true,
                                      .output_padding = {0, 0}},
                          {x, weight}, "conv");
  ASSERT_EQ(b.shape(y), (graph::Shape{2, 4, 10, 10}));
  GraphBuilder moved = std::move(b);
  const schedule::Schedule schedule = inference_of(std::move(moved), y);
  EXPECT_EQ(cost_of(schedule, schedule.ops.front())->macs, Macs(4800));
}

// 2x5 rows of 4 in, 6 out: 10 * 4 * 6 = 240 MACs; the bias is added in the product: 60.
TEST(MatrixCost, LinearAndItsGradients) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 5, 3});
  x = b.linear(x, "first", 4);
  x = b.linear(x, "second", 6);
  const schedule::Schedule schedule = training_of(std::move(b), x);
  const schedule::ScheduledOp& second = schedule.ops[1];
  const Cost cost = *cost_of(schedule, second);
  EXPECT_EQ(cost.macs, Macs(240));
  EXPECT_EQ(cost.vector_flops, Flops(60));
  EXPECT_EQ(cost.bytes_read, Bytes(4 * (40 + 24 + 6)));
  EXPECT_EQ(cost.bytes_written, Bytes(4 * 60));
  EXPECT_EQ(entry_cost(schedule, "data_gradient linear").matrix_flops, Flops(480));
  EXPECT_EQ(entry_cost(schedule, "data_gradient linear").vector_flops, Flops(0));
  EXPECT_EQ(entry_cost(schedule, "weight_gradient linear").matrix_flops, Flops(480));
  EXPECT_EQ(entry_cost(schedule, "weight_gradient bias_gradient").vector_flops, Flops(60));
}

// Batched 3 x (4x5)(5x6) = 360; a vector operand: (4x5)(5) = 20, (5)(5x6) = 30, (5)(5) = 5.
TEST(MatrixCost, MatMulOfEveryRank) {
  const auto macs = [](graph::Shape a, graph::Shape b) {
    GraphBuilder builder("net");
    const ValueId left = builder.input("a", std::move(a));
    const ValueId right = builder.input("b", std::move(b));
    const ValueId y = builder.add(graph::MatMul{}, {left, right}, "matmul");
    return entry_cost(inference_of(std::move(builder), y), "matmul").macs;
  };
  EXPECT_EQ(macs({3, 4, 5}, {3, 5, 6}), Macs(360));
  EXPECT_EQ(macs({3, 4, 5}, {5, 6}), Macs(360));
  EXPECT_EQ(macs({4, 5}, {5}), Macs(20));
  EXPECT_EQ(macs({5}, {5, 6}), Macs(30));
  EXPECT_EQ(macs({5}, {5}), Macs(5));
}

TEST(MatrixCost, EinsumMultipliesAllExtents) {
  GraphBuilder b("net");
  const ValueId x = b.input("x", {2, 3, 4});
  const ValueId y = b.input("y", {2, 4, 5});
  const ValueId z = b.add(graph::Einsum{"bij,bjk->bik"}, {x, y}, "einsum");
  EXPECT_EQ(entry_cost(inference_of(std::move(b), z), "einsum").macs, Macs(2 * 3 * 4 * 5));
}

// One operand of 24 elements summed to 8: 16 additions, no MAC.
TEST(MatrixCost, EinsumOfOneOperandIsASum) {
  GraphBuilder b("net");
  const ValueId x = b.input("x", {2, 3, 4});
  const ValueId z = b.add(graph::Einsum{"bij->bj"}, {x}, "einsum");
  const Cost cost = entry_cost(inference_of(std::move(b), z), "einsum");
  EXPECT_EQ(cost.macs, Macs(0));
  EXPECT_EQ(cost.vector_flops, Flops(16));
}

// 2 batches, 8 query heads of 10 rows, 2 key heads of 16, depth 4, values 6 deep:
// Q K^T 2*8*10*16*4 = 10,240, A V 2*8*10*16*6 = 15,360. Scores 2,560, 6 each.
TEST(MatrixCost, GroupedQueryAttention) {
  GraphBuilder b("net");
  const ValueId q = b.input("q", {2, 8, 10, 4});
  const ValueId k = b.input("k", {2, 2, 16, 4});
  const ValueId v = b.input("v", {2, 2, 16, 6});
  const ValueId y = b.add(graph::Attention{}, {q, k, v}, "attention");
  const Cost cost = entry_cost(inference_of(std::move(b), y), "attention");
  EXPECT_EQ(cost.macs, Macs(25600));
  EXPECT_EQ(cost.causal_macs, Macs(25600));
  EXPECT_EQ(cost.vector_flops, Flops(6 * 2560));
  EXPECT_EQ(cost.bytes_read, Bytes(4 * (640 + 256 + 384)));
  EXPECT_EQ(cost.bytes_written, Bytes(4 * 960));
}

// Length 4: 10 of 16 scores are visible; with 2 queries before 4 keys 3 of 8.
TEST(MatrixCost, CausalAttentionCountsTheVisibleHalfBeside) {
  const auto cost = [](std::int64_t queries) {
    GraphBuilder b("net");
    const ValueId q = b.input("q", {1, 1, queries, 8});
    const ValueId k = b.input("k", {1, 1, 4, 8});
    const ValueId y = b.add(graph::Attention{.causal = true}, {q, k, k}, "attention");
    return entry_cost(inference_of(std::move(b), y), "attention");
  };
  EXPECT_EQ(cost(4).macs, Macs(16 * 16));
  EXPECT_EQ(cost(4).causal_macs, Macs(10 * 16));
  EXPECT_EQ(cost(2).causal_macs, Macs(3 * 16));
}

// Five products instead of two: 16 scores * (3 * 8 + 2 * 8) = 640 MACs.
TEST(MatrixCost, AttentionsBackwardMakesTheScoresAgain) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1, 1, 4, 8});
  x = b.linear(x, "proj", 8, false);
  x = b.add(graph::Attention{}, {x, x, x}, "attention");
  const Cost cost = entry_cost(training_of(std::move(b), x), "data_gradient attention");
  EXPECT_EQ(cost.matrix_flops, Flops(2 * 640));
  EXPECT_EQ(cost.vector_flops, Flops(6 * 16));
}

/// Recurrent layers of 4 units on 7 steps of 3 samples with 5 features.
schedule::Schedule recurrent_of(graph::Recurrent op, Phase phase = Phase::training) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {7, 3, 5});
  const ValueId y = b.recurrent(x, "layers", op, 4)[0];
  return schedule::lower(std::move(b).finish({y}), {.phase = phase});
}

// An LSTM: 21 samples at a step, 16 rows of gates on 5 features and 4 units: 21 * 16 * 9 = 3,024
// MACs; 84 units at a step of 22 FLOPs and 8 for biases. Its weights: 16 * (5 + 4 + 2) = 176.
TEST(MatrixCost, AnLstmByHand) {
  const Cost cost = entry_cost(recurrent_of({}, Phase::inference), "lstm");
  EXPECT_EQ(cost.macs, Macs(3024));
  EXPECT_EQ(cost.matrix_flops, Flops(6048));
  EXPECT_EQ(cost.vector_flops, Flops(84 * 30));
  // x 105, zeros 2 x 12, weights; y 84, h and c 2 x 12.
  EXPECT_EQ(cost.bytes_read, Bytes(4 * (105 + 24 + 176)));
  EXPECT_EQ(cost.bytes_written, Bytes(4 * (84 + 24)));
  EXPECT_EQ(entry_cost(recurrent_of({.bias = false}, Phase::inference), "lstm").vector_flops,
            Flops(84 * 22));
}

// Each gradient multiplies as often; inside lie 84 * 5 numbers.
TEST(MatrixCost, GradientsOfAnLstm) {
  const schedule::Schedule schedule = recurrent_of({});
  const Cost data = entry_cost(schedule, "data_gradient lstm");
  EXPECT_EQ(data.macs, Macs(0));
  EXPECT_EQ(data.matrix_flops, Flops(6048));
  EXPECT_EQ(data.vector_flops, Flops(84 * 24));
  // Gradients of y, h, c, then y, states, weights, inside; gradients of x and of the states.
  EXPECT_EQ(data.bytes_read, Bytes(4 * (84 + 24 + 84 + 24 + 176 + 420)));
  EXPECT_EQ(data.bytes_written, Bytes(4 * (105 + 24)));
  const Cost weights = entry_cost(schedule, "weight_gradient lstm");
  EXPECT_EQ(weights.matrix_flops, Flops(6048));
  EXPECT_EQ(weights.vector_flops, Flops(84 * 4));
  EXPECT_EQ(weights.bytes_read, Bytes(4 * (105 + 12 + 84 + 420)));
  EXPECT_EQ(weights.bytes_written, Bytes(4 * 176));
}

// 3 gates of 4 units; two directions, so layer 1 reads 8 features: 2 * 21 * 12 * ((5 + 4) +
// (8 + 4)) = 10,584 MACs. 336 units at a step.
TEST(MatrixCost, AGruOfTwoLayersInBothDirections) {
  graph::Recurrent op{.cell = graph::RecurrentCell::gru, .layers = 2, .bidirectional = true};
  const schedule::Schedule schedule = recurrent_of(op);
  const Cost cost = entry_cost(schedule, "gru");
  EXPECT_EQ(cost.macs, Macs(10584));
  EXPECT_EQ(cost.vector_flops, Flops(336 * (17 + 6)));
  EXPECT_EQ(entry_cost(schedule, "data_gradient gru").matrix_flops, Flops(2 * 10584));
  EXPECT_EQ(entry_cost(schedule, "data_gradient gru").vector_flops, Flops(336 * 18));
  EXPECT_EQ(entry_cost(schedule, "weight_gradient gru").vector_flops, Flops(336 * 4));
  // The results of layer 0 are 168 numbers, of which training drops some.
  op.dropout = 0.5;
  EXPECT_EQ(entry_cost(recurrent_of(op), "gru").vector_flops, Flops(336 * 23 + 168 * 2));
  EXPECT_EQ(entry_cost(recurrent_of(op, Phase::inference), "gru").vector_flops, Flops(336 * 23));
}

// Published: torchinfo 1.8 (tests/test_output/lstm.out) counts 376,832,000 for two layers of 512 on
// 100 steps with 300 features, a multiply-add for each weight and each bias: 100 * 4 * 512 * (300 +
// 3 * 512) of weights, and 100 * 8 * 512 * 2 of biases.
TEST(MatrixCost, AnLstmAsPublished) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {1, 100, 300});
  const ValueId y = b.recurrent(x, "encoder", {.layers = 2, .batch_first = true}, 512)[0];
  const Cost cost = entry_cost(inference_of(std::move(b), y), "lstm");
  EXPECT_EQ(cost.macs, Macs(376'832'000 - 819'200));
}

TEST(MatrixCost, PlainCells) {
  const graph::Recurrent tanh{.cell = graph::RecurrentCell::rnn_tanh};
  EXPECT_EQ(entry_cost(recurrent_of(tanh), "rnn_tanh").macs, Macs(21 * 4 * 9));
  EXPECT_EQ(entry_cost(recurrent_of(tanh), "rnn_tanh").vector_flops, Flops(84 * 4));
  EXPECT_EQ(entry_cost(recurrent_of(tanh), "data_gradient rnn_tanh").vector_flops, Flops(84 * 4));
  const graph::Recurrent relu{.cell = graph::RecurrentCell::rnn_relu, .bias = false};
  EXPECT_EQ(entry_cost(recurrent_of(relu), "rnn_relu").vector_flops, Flops(84 * 2));
  EXPECT_EQ(entry_cost(recurrent_of(relu), "data_gradient rnn_relu").vector_flops, Flops(84 * 2));
  EXPECT_EQ(entry_cost(recurrent_of(relu), "weight_gradient rnn_relu").vector_flops, Flops(0));
}

TEST(MatrixCost, OperandsGiveTheArithmeticsType) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 4);
  const graph::Graph network = std::move(b).finish({x});
  const schedule::Schedule bf16 = schedule::lower(network, {.precision = Precision::bf16});
  EXPECT_EQ(entry_cost(bf16, "linear").matrix_type, DType::bf16);
  EXPECT_EQ(entry_cost(bf16, "linear").vector_type, DType::f32);
  const schedule::Schedule fp64 = schedule::lower(network, {.precision = Precision::fp64});
  EXPECT_EQ(entry_cost(fp64, "linear").vector_type, DType::f64);
}

}  // namespace
}  // namespace rooflab::cost
