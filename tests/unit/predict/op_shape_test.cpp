// Kinds and sizes of what small networks lower to. Sizes are read off the shapes; work is 2 FLOPs a
// multiply-accumulate and every operand once, and must be what the cost model counts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/op_model.hpp"
#include "shapes.hpp"
#include "toy_device.hpp"

namespace rooflab::predict {
namespace {

using graph::GraphBuilder;
using graph::UnaryFunction;
using graph::ValueId;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view backward = "data_gradient weight_gradient";

struct Asked {
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  bool channels_last = false;
};

schedule::Schedule lowered(GraphBuilder&& b, ValueId y, const Asked& asked = {}) {
  return schedule::lower(
      std::move(b).finish({y}),
      {.phase = asked.phase, .precision = asked.precision, .channels_last = asked.channels_last});
}

std::vector<std::string> forward_of(GraphBuilder&& b, ValueId y, const Asked& asked = {},
                                    const device::Device& device = toy_tensor_device()) {
  return shapes_of(lowered(std::move(b), y, asked), device, "forward");
}

std::vector<std::string> backward_of(GraphBuilder&& b, ValueId y, Asked asked = {}) {
  asked.phase = Phase::training;
  return shapes_of(lowered(std::move(b), y, asked), toy_tensor_device(), backward);
}

/// One convolution of 2 images of 8 x 8 with 8 channels into 16, kernel 3, padding 1.
std::vector<std::string> convolution(const GraphBuilder::ConvOptions& options,
                                     const Asked& asked = {},
                                     const device::Device& device = toy_tensor_device()) {
  GraphBuilder b("net");
  const ValueId y = b.conv(b.input("x", {2, 8, 8, 8}), "conv", options);
  return forward_of(std::move(b), y, asked, device);
}

TEST(OpShape, SizesOfAConvolutionAreThoseOfItsImplicitProduct) {
  // batch, pixels, channels in and out of a group, groups, kernel, stride
  EXPECT_THAT(convolution({.out_channels = 16, .kernel = 3, .padding = 1, .bias = false}),
              ElementsAre("conv2d.forward.fp32.nchw 2 64 8 16 1 9 1"));
  EXPECT_THAT(
      convolution({.out_channels = 16, .kernel = 3, .stride = 2, .padding = 1, .bias = false}),
      ElementsAre("conv2d.forward.fp32.nchw 2 16 8 16 1 9 4"));
  EXPECT_THAT(convolution({.out_channels = 16, .bias = false, .kernel_w = 7, .padding_w = 3}),
              ElementsAre("conv2d.forward.fp32.nchw 2 64 8 16 1 7 1"));
}

TEST(OpShape, ABiasIsAnAdditionOfItsOwn) {
  EXPECT_THAT(convolution({.out_channels = 16, .kernel = 3, .padding = 1}),
              ElementsAre("conv2d.forward.fp32.nchw 2 64 8 16 1 9 1",
                          "add_broadcast.forward.f32 2048"));  // 2 x 16 x 64
}

// A separate kind, not that of fp32 products: the limit is that of the int8 units, too.
TEST(OpShape, IntegerProductsAreOfTheirOwnType) {
  GraphBuilder b("net");
  const ValueId a = b.input("a", {4, 32}, DType::i8);
  const ValueId y = b.add(graph::MatMul{}, {a, b.input("b", {32, 8}, DType::i8)}, "y");
  device::Device device = toy_tensor_device();
  device.peaks[ArithmeticPath::int8_tensor_int32].value = 64000.0;
  EXPECT_THAT(forward_of(std::move(b), y, {}, device), ElementsAre("matmul.forward.int8 1 4 32 8"));
  EXPECT_EQ(element_bytes("int8"), 1.0);
}

// An older device has no units for them: still nothing that was measured in FP32 answers.
TEST(OpShape, ATypeThatTheDeviceLacksIsItsOwn) {
  for (const auto& [type, name] : {std::pair(DType::i8, "int8"), std::pair(DType::u8, "int8"),
                                   std::pair(DType::f8, "fp8"), std::pair(DType::bf16, "bf16")}) {
    GraphBuilder b("net");
    const ValueId a = b.input("a", {4, 32}, type);
    const ValueId y = b.add(graph::MatMul{}, {a, b.input("b", {32, 8}, type)}, "y");
    device::Device device;
    device.peaks[ArithmeticPath::fp32_vector].value = 1000.0;
    const std::vector<std::string> shapes = forward_of(std::move(b), y, {}, device);
    ASSERT_EQ(shapes.size(), 1U);
    EXPECT_THAT(shapes[0], testing::HasSubstr(std::string(".") + name + " "));
  }
}

TEST(OpShape, GroupedAndDepthwiseConvolutionsAreKindsOfTheirOwn) {
  EXPECT_THAT(
      convolution({.out_channels = 16, .kernel = 3, .padding = 1, .groups = 2, .bias = false}),
      ElementsAre("conv2d_grouped.forward.fp32.nchw 2 64 4 8 2 9 1"));
  EXPECT_THAT(
      convolution({.out_channels = 8, .kernel = 3, .padding = 1, .groups = 8, .bias = false}),
      ElementsAre("conv2d_depthwise.forward.fp32.nchw 2 64 1 1 8 9 1"));
  // Two results a channel
  EXPECT_THAT(
      convolution({.out_channels = 16, .kernel = 3, .padding = 1, .groups = 8, .bias = false}),
      ElementsAre("conv2d_depthwise.forward.fp32.nchw 2 64 1 2 8 9 1"));
}

// Every pixel of the operand meets all of the kernel: 5 x 5 pixels, of 10 x 10 in the result.
TEST(OpShape, ATransposedConvolutionCountsItsOperandsPixels) {
  GraphBuilder b("net");
  graph::Conv op;
  op.kernel = op.stride = {2, 2};
  op.dilation = {1, 1};
  op.padding_begin = op.padding_end = op.output_padding = {0, 0};
  op.transposed = true;
  const ValueId x = b.input("x", {3, 4, 5, 5});
  const ValueId y = b.add(op, {x, b.parameter("w", {4, 6, 2, 2})}, "up");
  ASSERT_EQ(b.shape(y), graph::Shape({3, 6, 10, 10}));
  EXPECT_THAT(forward_of(std::move(b), y),
              ElementsAre("conv_transpose2d.forward.fp32.nchw 3 25 4 6 1 4 4"));
}

TEST(OpShape, LayoutIsThatOfTheImages) {
  const GraphBuilder::ConvOptions options{
      .out_channels = 16, .kernel = 3, .padding = 1, .bias = false};
  EXPECT_THAT(convolution(options, {.channels_last = true}),
              ElementsAre("conv2d.forward.fp32.nhwc 2 64 8 16 1 9 1"));
}

// TF32 where it is allowed and where there are units for it; data stays fp32 elsewhere.
TEST(OpShape, ArithmeticIsThatOfTheDevice) {
  const GraphBuilder::ConvOptions options{.out_channels = 16, .bias = false};
  const auto type = [&](Precision precision, const device::Device& device) {
    return shape_of_kind(
               convolution(options, {.precision = precision}, device).back().substr(0, 24))
        .type;
  };
  EXPECT_EQ(type(Precision::fp32, toy_tensor_device()), "fp32");
  EXPECT_EQ(type(Precision::tf32, toy_tensor_device()), "tf32");
  EXPECT_EQ(type(Precision::tf32, toy_device()), "fp32");
  EXPECT_EQ(type(Precision::bf16, toy_tensor_device()), "bf16");
  EXPECT_EQ(type(Precision::fp16, toy_tensor_device()), "fp16");
  EXPECT_EQ(type(Precision::fp64, toy_tensor_device()), "fp64");
  EXPECT_EQ(type(Precision::amp_fp16, toy_tensor_device()), "fp16");
  // Without tensor cores products of fp16 data run as those of fp32 do.
  EXPECT_EQ(type(Precision::fp16, toy_device()), "fp32");
  EXPECT_EQ(type(Precision::amp_fp16, toy_device()), "fp32");
}

// The first convolution's operand needs no gradient. The bias gradient sums 2 x 64 pixels of each
// of 16 channels: in NCHW 64 lie together, in NHWC none.
TEST(OpShape, GradientsOfAConvolution) {
  const auto made = [](bool channels_last) {
    GraphBuilder b("net");
    ValueId x = b.input("x", {2, 8, 8, 8});
    x = b.conv(x, "first", {.out_channels = 16, .kernel = 3, .padding = 1, .bias = false});
    x = b.conv(x, "second", {.out_channels = 16});
    return backward_of(std::move(b), b.flatten(x, 1, "flat"), {.channels_last = channels_last});
  };
  const std::vector<std::string> nchw = made(false);
  EXPECT_THAT(nchw,
              testing::UnorderedElementsAre("conv2d.data_gradient.fp32.nchw 2 64 16 16 1 1 1",
                                            "conv2d.weight_gradient.fp32.nchw 2 64 16 16 1 1 1",
                                            "sum.forward.f32 2 16 64",
                                            "conv2d.weight_gradient.fp32.nchw 2 64 8 16 1 9 1"));
  const std::vector<std::string> nhwc = made(true);
  EXPECT_THAT(nhwc, testing::Contains("conv2d.data_gradient.fp32.nhwc 2 64 16 16 1 1 1"));
  EXPECT_THAT(nhwc, testing::Contains("sum.forward.f32 128 16 1"));
}

TEST(OpShape, LinearLayersFoldLeadingDimensionsIntoRows) {
  const auto network = [](GraphBuilder& b) {
    ValueId x = b.linear(b.input("x", {4, 5, 32}), "first", 16, false);
    x = b.linear(x, "second", 8);
    return b.flatten(x, 1, "flat");
  };
  GraphBuilder b("net");
  ValueId y = network(b);
  EXPECT_THAT(forward_of(std::move(b), y),
              ElementsAre("linear.forward.fp32 20 32 16", "linear.forward.fp32 20 16 8"));
  GraphBuilder again("net");
  y = network(again);
  EXPECT_THAT(backward_of(std::move(again), y),
              testing::UnorderedElementsAre(
                  "linear.data_gradient.fp32 20 16 8", "linear.weight_gradient.fp32 20 16 8",
                  "sum.forward.f32 20 8 1", "linear.weight_gradient.fp32 20 32 16"));
}

// A gradient is a product of the same three extents, so its sizes are those of the forward pass.
TEST(OpShape, ProductsOfTwoTensors) {
  const auto network = [](GraphBuilder& b) {
    const ValueId x = b.parameter("a", {6, 10, 20});
    return b.add(graph::MatMul{}, {x, b.parameter("b", {6, 20, 30})}, "op");
  };
  GraphBuilder b("net");
  ValueId y = network(b);
  EXPECT_THAT(forward_of(std::move(b), y), ElementsAre("matmul.forward.fp32 6 10 20 30"));
  GraphBuilder again("net");
  y = network(again);
  EXPECT_THAT(backward_of(std::move(again), y),
              ElementsAre("matmul.backward.fp32 6 10 20 30", "matmul.backward.fp32 6 10 20 30"));
}

TEST(OpShape, AttentionByHeadsQueriesKeysAndDepth) {
  const auto network = [](GraphBuilder& b, bool causal) {
    const ValueId q = b.parameter("q", {2, 4, 7, 16});
    const ValueId k = b.parameter("k", {2, 4, 9, 16});
    const ValueId v = b.parameter("v", {2, 4, 9, 16});
    return b.add(graph::Attention{.causal = causal}, {q, k, v}, "op");
  };
  GraphBuilder b("net");
  ValueId y = network(b, false);
  EXPECT_THAT(forward_of(std::move(b), y), ElementsAre("attention.forward.fp32 8 7 9 16"));
  GraphBuilder masked("net");
  y = network(masked, true);
  EXPECT_THAT(forward_of(std::move(masked), y),
              ElementsAre("attention_causal.forward.fp32 8 7 9 16"));
  GraphBuilder again("net");
  y = network(again, false);
  EXPECT_THAT(backward_of(std::move(again), y),
              testing::Contains("attention.backward.fp32 8 7 9 16"));
}

// Of few queries over many keys it is a separate kind, with the heads that share keys.
TEST(OpShape, AttentionOverACacheByItsGroups) {
  const auto shape = [](std::int64_t heads, std::int64_t shared, std::int64_t queries, bool causal,
                        bool masked) {
    GraphBuilder b("net");
    const ValueId k = b.parameter("k", {2, shared, 512, 64});
    std::vector<ValueId> operands = {b.parameter("q", {2, heads, queries, 64}), k,
                                     b.parameter("v", {2, shared, 512, 64})};
    if (masked) operands.push_back(b.parameter("mask", {2, 1, queries, 512}));
    const ValueId y = b.add(graph::Attention{.causal = causal}, operands, "op");
    return forward_of(std::move(b), y).at(0);
  };
  EXPECT_EQ(shape(8, 2, 1, false, false), "attention_decode.forward.fp32 16 4 1 512 64");
  EXPECT_EQ(shape(8, 8, 64, false, false), "attention_decode.forward.fp32 16 1 64 512 64");
  EXPECT_EQ(shape(8, 8, 65, false, false), "attention.forward.fp32 16 65 512 64");
  EXPECT_EQ(shape(8, 8, 1, false, true), "attention_decode_masked.forward.fp32 16 1 1 512 64");
  EXPECT_EQ(shape(8, 2, 128, false, false), "attention_grouped.forward.fp32 16 4 128 512 64");
  EXPECT_EQ(shape(8, 2, 512, true, false), "attention_causal_grouped.forward.fp32 16 4 512 512 64");
  EXPECT_EQ(shape(8, 8, 512, true, false), "attention_causal.forward.fp32 16 512 512 64");
}

// With stored statistics a pass less over the data; the counter of batches has no separate time.
TEST(OpShape, BatchNormOverABatchAndWithStoredStatistics) {
  const auto network = [](GraphBuilder& b) {
    const ValueId x = b.parameter("x", {2, 8, 4, 4});
    return b.flatten(b.batch_norm(x, "norm"), 1, "flat");
  };
  GraphBuilder stored("net");
  ValueId y = network(stored);
  EXPECT_THAT(forward_of(std::move(stored), y),
              ElementsAre("batch_norm_eval.forward.f32.nchw 2 8 16"));
  GraphBuilder batch("net");
  y = network(batch);
  EXPECT_THAT(forward_of(std::move(batch), y, {.phase = Phase::forward}),
              ElementsAre("batch_norm.forward.f32.nchw 2 8 16"));
  GraphBuilder trained("net");
  y = network(trained);
  EXPECT_THAT(backward_of(std::move(trained), y),
              ElementsAre("batch_norm.backward.f32.nchw 2 8 16"));
}

TEST(OpShape, NormsAndSoftmaxByRowsAndWidth) {
  GraphBuilder b("net");
  ValueId x = b.parameter("x", {2, 3, 16});
  x = b.layer_norm(x, "norm");
  x = b.add(graph::Softmax{}, {x}, "softmax");
  x = b.add(graph::Softmax{.log = true}, {x}, "log");
  const ValueId all = b.add(graph::GroupNorm{.groups = 4}, {b.parameter("z", {2, 8, 5, 5})}, "gn");
  const schedule::Schedule schedule = schedule::lower(std::move(b).finish({x, all}), {});
  EXPECT_THAT(
      shapes_of(schedule, toy_device(), "forward"),
      ElementsAre("layer_norm.forward.f32 6 16", "softmax.forward.f32 6 16",
                  "log_softmax.forward.f32 6 16", "group_norm.forward.f32 8 50"));  // 2 x 25 each
}

TEST(OpShape, PoolingByPlanesPixelsWindowAndStride) {
  const auto pooled = [](graph::PoolKind kind, bool gradient) {
    GraphBuilder b("net");
    ValueId x = b.parameter("x", {2, 8, 16, 16});
    x = b.pool(x, kind, "pool", {.kernel = 3, .stride = 2, .padding = 1});
    x = b.flatten(x, 1, "flat");
    return gradient ? backward_of(std::move(b), x) : forward_of(std::move(b), x);
  };
  EXPECT_THAT(pooled(graph::PoolKind::max, false),
              ElementsAre("max_pool.forward.f32.nchw 16 64 9 4"));
  EXPECT_THAT(pooled(graph::PoolKind::average, false),
              ElementsAre("average_pool.forward.f32.nchw 16 64 9 4"));
  EXPECT_THAT(pooled(graph::PoolKind::max, true),
              ElementsAre("max_pool.backward.f32.nchw 16 64 9 4"));
}

// Over the pixels of an image: 16 numbers side by side. Over all but the last: none.
TEST(OpShape, SumsByWhereTheSummedNumbersLie) {
  const auto sum = [](std::vector<std::int64_t> axes, bool keep) {
    GraphBuilder b("net");
    const ValueId x = b.parameter("x", {2, 8, 4, 4});
    const ValueId y =
        b.add(graph::Reduce{graph::ReduceFunction::mean, std::move(axes), keep}, {x}, "op");
    return forward_of(std::move(b), y);
  };
  EXPECT_THAT(sum({2, 3}, true), ElementsAre("sum.forward.f32 1 16 16"));
  EXPECT_THAT(sum({2, 3}, false), ElementsAre("sum.forward.f32 1 16 16"));
  EXPECT_THAT(sum({0, 1, 2}, false), ElementsAre("sum.forward.f32 64 4 1"));
  EXPECT_THAT(sum({0, 2, 3}, false), ElementsAre("sum.forward.f32 2 8 16"));
  // Pooling to one pixel is such a sum.
  GraphBuilder b("net");
  const ValueId y = b.adaptive_pool(b.parameter("x", {2, 8, 4, 4}), "pool", 1);
  EXPECT_THAT(forward_of(std::move(b), y), ElementsAre("sum.forward.f32 1 16 16"));
}

TEST(OpShape, ElementwiseWorkByFunctionAndBroadcast) {
  GraphBuilder b("net");
  const ValueId x = b.parameter("x", {2, 8, 4, 4});
  const ValueId y = b.unary(x, UnaryFunction::gelu, "gelu");
  const ValueId z = b.binary(x, y, graph::BinaryFunction::mul, "mul");
  const ValueId row = b.parameter("row", {1, 8, 1, 1});
  const ValueId w = b.binary(z, row, graph::BinaryFunction::add, "add");
  const ValueId half = b.parameter("half", {2, 8, 4, 4}, DType::bf16);
  const ValueId mixed = b.binary(w, half, graph::BinaryFunction::add, "mixed");
  EXPECT_THAT(forward_of(std::move(b), mixed),
              ElementsAre("gelu.forward.f32 256", "mul.forward.f32 256",
                          "add_broadcast.forward.f32 256", "add_mixed.forward.f32 256"));
}

TEST(OpShape, ElementwiseGradientsAreBackwardKinds) {
  GraphBuilder b("net");
  ValueId x = b.linear(b.input("x", {4, 8}), "fc", 16, false);
  x = b.unary(x, UnaryFunction::gelu, "gelu");
  EXPECT_THAT(backward_of(std::move(b), x),
              ElementsAre("gelu.backward.f32 64", "linear.weight_gradient.fp32 4 8 16"));
}

// 180 results, more than there are places or pixels.
TEST(OpShape, SamplingAtAGridsPlacesByItsElements) {
  const auto sampled = [](GraphBuilder& b) {
    const ValueId x = b.parameter("x", {2, 3, 4, 4});
    return b.add(graph::GridSample{}, {x, b.parameter("grid", {2, 5, 6, 2})}, "sample");
  };
  GraphBuilder once("net");
  const ValueId y = sampled(once);
  EXPECT_THAT(forward_of(std::move(once), y), ElementsAre("grid_sample.forward.f32 180"));
  GraphBuilder back("net");
  const ValueId z = sampled(back);
  EXPECT_THAT(backward_of(std::move(back), z),
              ElementsAre("fill.forward.f32 96", "grid_sample.backward.f32 180"));
}

// batch, steps, input, hidden, layers, directions, wherever the batch is.
TEST(OpShape, RecurrentLayersByTheirSequence) {
  const auto made = [](graph::Recurrent op, GraphBuilder& b) {
    const ValueId x =
        b.parameter("x", op.batch_first ? graph::Shape{3, 7, 5} : graph::Shape{7, 3, 5});
    return b.recurrent(x, "op", op, 4)[0];
  };
  GraphBuilder lstm("net");
  ValueId y = made({.layers = 2, .bidirectional = true}, lstm);
  EXPECT_THAT(
      forward_of(std::move(lstm), y, {.precision = Precision::tf32}),
      ElementsAre("fill.forward.f32 48", "fill.forward.f32 48", "lstm.forward.tf32 3 7 5 4 2 2"));
  GraphBuilder gru("net");
  y = made({.cell = graph::RecurrentCell::gru, .batch_first = true, .bias = false}, gru);
  EXPECT_THAT(forward_of(std::move(gru), y, {.precision = Precision::bf16}),
              ElementsAre("copy_strided.forward.bf16 105 5", "fill.forward.bf16 12",
                          "gru.forward.bf16 3 7 5 4 1 1"));
  // The gradients of 4 x 5 + 4 x 4 weights and 4 + 4 biases begin with zeros.
  GraphBuilder plain("net");
  y = made({.cell = graph::RecurrentCell::rnn_relu}, plain);
  EXPECT_THAT(backward_of(std::move(plain), y),
              ElementsAre("fill.forward.f32 12", "rnn.data_gradient.fp32 3 7 5 4 1 1",
                          "fill.forward.f32 44", "rnn.weight_gradient.fp32 3 7 5 4 1 1"));
}

TEST(OpShape, CastsByBothTypes) {
  GraphBuilder b("net");
  ValueId x = b.add(graph::Cast{DType::bf16}, {b.parameter("x", {8, 8})}, "narrow");
  x = b.add(graph::Cast{DType::f32}, {x}, "wide");
  EXPECT_THAT(forward_of(std::move(b), x),
              ElementsAre("cast_bf16.forward.f32 64", "cast_f32.forward.bf16 64"));
}

/// What `contiguous` of a transposed tensor is.
std::vector<std::string> copied(graph::Shape shape, std::vector<std::int64_t> permutation) {
  GraphBuilder b("net");
  ValueId x = b.parameter("x", std::move(shape));
  x = b.transpose(x, std::move(permutation), "turn");
  x = b.add(graph::Contiguous{}, {x}, "op");
  return forward_of(std::move(b), x);
}

TEST(OpShape, CopiesByTheRowsThatStayWhole) {
  // NCHW to NHWC: neighbours are neighbours no more.
  EXPECT_THAT(copied({2, 8, 4, 4}, {0, 2, 3, 1}), ElementsAre("copy_strided.forward.f32 256 1"));
  // Heads out of the sequence: rows of 32.
  EXPECT_THAT(copied({2, 7, 4, 32}, {0, 2, 1, 3}), ElementsAre("copy_strided.forward.f32 1792 32"));
  // The outermost two change places: planes of 4 x 4.
  EXPECT_THAT(copied({2, 8, 4, 4}, {1, 0, 2, 3}), ElementsAre("copy_strided.forward.f32 256 16"));
  // An extent of one is not a change: nothing is copied.
  EXPECT_THAT(copied({1, 8, 4, 4}, {1, 0, 2, 3}), IsEmpty());
}

TEST(OpShape, ConcatenationByElementsAndParts) {
  GraphBuilder b("net");
  const ValueId a = b.parameter("a", {2, 4, 3, 3});
  const ValueId c = b.parameter("c", {2, 2, 3, 3});
  const ValueId y = b.concat({a, c}, 1, "cat");
  EXPECT_THAT(forward_of(std::move(b), y), ElementsAre("concat.forward.f32 108 2"));
}

// Images in channels last are joined pixel by pixel.
TEST(OpShape, ConcatenationOfChannelsLastIsAKindOfItsOwn) {
  GraphBuilder b("net");
  const ValueId x = b.input("x", {2, 4, 3, 3});
  const ValueId y = b.concat({b.unary(x, UnaryFunction::relu, "relu"), x}, 1, "cat");
  EXPECT_THAT(forward_of(std::move(b), y, {.channels_last = true}),
              ElementsAre("relu.forward.f32 72", "concat.forward.f32.nhwc 144 2"));
}

// Halves of the heads' depth: pieces as short as the channels of a pixel.
TEST(OpShape, ConcatenationOfShortPiecesIsLikeThatOfChannelsLast) {
  const auto shape = [](std::int64_t axis) {
    GraphBuilder b("net");
    const ValueId x = b.parameter("x", {2, 8, 100, 32});
    const ValueId y = b.concat({x, b.parameter("z", {2, 8, 100, 32})}, axis, "op");
    return forward_of(std::move(b), y).at(0);
  };
  EXPECT_EQ(shape(3), "concat.forward.f32.nhwc 102400 2");
  EXPECT_EQ(shape(2), "concat.forward.f32 102400 2");
}

TEST(OpShape, SelectionsByRowsAndWidth) {
  GraphBuilder b("net");
  const ValueId x = b.parameter("x", {3, 100});
  const ValueId sums = b.add(graph::CumulativeSum{.axis = 1}, {x}, "sums");
  const ValueId top = b.add_all(graph::TopK{.k = 5}, {sums}, "top").front();
  EXPECT_THAT(forward_of(std::move(b), top),
              ElementsAre("cumsum.forward.f32 3 100", "topk.forward.f32 3 100"));
}

TEST(OpShape, ViewsAreNothing) {
  GraphBuilder b("net");
  ValueId x = b.parameter("x", {2, 8, 4, 4});
  x = b.transpose(x, {0, 2, 3, 1}, "turn");
  x = b.add(graph::Slice{{0}, {0}, {1}, {1}}, {x}, "slice");
  const ValueId y = b.flatten(b.parameter("z", {2, 8, 4}), 1, "flat");
  const schedule::Schedule schedule = schedule::lower(std::move(b).finish({x, y}), {});
  EXPECT_EQ(schedule.ops.size(), 3U);
  EXPECT_THAT(shapes_of(schedule, toy_device(), "forward"), IsEmpty());
}

// 32 x 16 weights and 16 biases; every pass is asked about as the whole step.
TEST(OpShape, OptimizersByElementsAndTensors) {
  GraphBuilder b("net");
  const ValueId y = b.linear(b.input("x", {4, 32}), "fc", 16);
  const schedule::Schedule schedule = lowered(std::move(b), y, {.phase = Phase::training});
  EXPECT_THAT(
      shapes_of(schedule, toy_device(), "optimizer"),
      ElementsAre("optimizer_sgd-momentum.step.f32 528 2", "optimizer_sgd-momentum.step.f32 528 2",
                  "optimizer_sgd-momentum.step.f32 528 2"));
}

TEST(OpShape, AnOpWithoutARuleHasNoShape) {
  GraphBuilder b("net");
  graph::Opaque unknown;
  unknown.type = "Mystery";
  unknown.outputs = {graph::Shape({4, 4})};
  unknown.dtypes = {DType::f32};
  const ValueId y = b.add(unknown, {b.parameter("x", {4, 4})}, "op");
  EXPECT_THAT(forward_of(std::move(b), y), IsEmpty());
}

// 16 bytes are 8 numbers of bf16, 4 of fp32 and 2 of fp64.
TEST(OpShape, MisalignmentIsTheDoublingsTo16Bytes) {
  EXPECT_EQ(misalignment(64.0, "bf16"), 0.0);
  EXPECT_EQ(misalignment(100.0, "bf16"), 1.0);
  EXPECT_EQ(misalignment(50.0, "bf16"), 2.0);
  EXPECT_EQ(misalignment(50257.0, "bf16"), 3.0);
  EXPECT_EQ(misalignment(100.0, "tf32"), 0.0);
  EXPECT_EQ(misalignment(50257.0, "fp32"), 2.0);
  EXPECT_EQ(misalignment(3.0, "fp64"), 1.0);
}

// By hand: 96 fills two tiles of 64, 128 / 96 = 1.333; 1000 fills sixteen, 1024 / 1000.
TEST(OpShape, PaddingIsToWholeTiles) {
  EXPECT_EQ(padding(128.0, 64.0), 0.0);
  EXPECT_EQ(padding(32.0, 64.0), 1.0);
  EXPECT_EQ(padding(1.0, 64.0), 6.0);
  EXPECT_NEAR(padding(96.0, 64.0), 0.41504, 1e-5);
  EXPECT_NEAR(padding(1000.0, 64.0), 0.034216, 1e-6);
  EXPECT_EQ(padding(64.0, 128.0), 1.0);
}

// By hand: attention of 513 fills five tiles of 128, 640 / 513; 576 and 577 fill as many.
TEST(OpShape, AttentionIsPaddedInQueriesAndKeys) {
  const OpShape attention = shape_of_kind("attention.forward.bf16");
  ASSERT_EQ(feature_count(attention), 4U);
  const std::vector<double> sizes = {32.0, 513.0, 576.0, 64.0};
  EXPECT_NEAR(feature(attention, sizes, 2), 0.319113, 1e-6);
  EXPECT_NEAR(feature(attention, sizes, 3), 0.152003, 1e-6);
  EXPECT_EQ(feature_count(shape_of_kind("attention_decode.forward.bf16")), 2U);
  EXPECT_EQ(feature_count(shape_of_kind("attention_module.forward.fp32")), 2U);
}

TEST(OpShape, FeaturesAreTheAlignmentsAndThenThePaddings) {
  const OpShape linear = shape_of_kind("linear.forward.bf16");
  ASSERT_EQ(feature_count(linear), 4U);
  const double sizes[] = {8.0, 100.0, 32.0};
  EXPECT_EQ(feature(linear, sizes, 0), 1.0);
  EXPECT_EQ(feature(linear, sizes, 1), 0.0);
  EXPECT_NEAR(feature(linear, sizes, 2), 0.35614, 1e-5);  // 128 / 100
  EXPECT_EQ(feature(linear, sizes, 3), 1.0);
  EXPECT_TRUE(is_feature_count(linear, 0));
  EXPECT_TRUE(is_feature_count(linear, 2));
  EXPECT_FALSE(is_feature_count(linear, 3));
  EXPECT_TRUE(is_feature_count(linear, 4));
  EXPECT_EQ(feature_count(shape_of_kind("relu.forward.bf16")), 0U);
  EXPECT_EQ(feature_count(shape_of_kind("conv2d_depthwise.forward.bf16.nhwc")), 2U);
}

// Images in NCHW have rows of pixels, in NHWC rows of channels.
TEST(OpShape, AlignedColumnsAreThoseThatLieSideBySide) {
  const auto names = [](const char* kind) {
    const OpShape shape = shape_of_kind(kind);
    std::vector<std::string_view> columns;
    for (const std::size_t i : aligned_columns_of(shape)) {
      columns.push_back(columns_of(shape.op)[i]);
    }
    return columns;
  };
  EXPECT_THAT(names("conv2d.forward.bf16.nchw"),
              ElementsAre("pixels", "in_channels", "out_channels"));
  EXPECT_THAT(names("conv2d.forward.bf16.nhwc"), ElementsAre("in_channels", "out_channels"));
  EXPECT_THAT(names("linear.data_gradient.bf16"), ElementsAre("in_features", "out_features"));
  EXPECT_THAT(names("matmul.forward.bf16"), ElementsAre("rows", "inner", "columns"));
  EXPECT_THAT(names("attention_causal.forward.bf16"), ElementsAre("keys", "depth"));
  EXPECT_THAT(names("softmax.forward.bf16"), ElementsAre("width"));
  EXPECT_THAT(names("relu.forward.bf16"), IsEmpty());
}

TEST(OpShape, EmbeddingsByRowsPickedTheirWidthAndTheTable) {
  GraphBuilder b("net");
  const ValueId table = b.parameter("table", {1000, 64});
  const ValueId words = b.constant("words", {8, 16}, DType::i64);
  const ValueId y = b.add(graph::Gather{0}, {table, words}, "embedding");
  EXPECT_THAT(forward_of(std::move(b), y), ElementsAre("gather.forward.f32 128 64 1000"));
  // Forward 2 x 128 x 64 numbers; backward a table of zeros, and 128 rows read, added and written.
  EXPECT_EQ(work_of({"gather", "forward", "f32", "", {128, 64, 1000}}).bytes, 4.0 * 64 * 256);
  EXPECT_EQ(work_of({"gather", "backward", "f32", "", {128, 64, 1000}}).bytes,
            4.0 * 64 * (3 * 128 + 1000));
}

TEST(OpShape, AKindsNameHoldsItsParts) {
  const OpShape shape{"conv2d", "data_gradient", "tf32", "nhwc", {}};
  EXPECT_EQ(shape.kind(), "conv2d.data_gradient.tf32.nhwc");
  EXPECT_EQ(shape_of_kind(shape.kind()), shape);
  const OpShape linear{"linear", "forward", "bf16", "", {}};
  EXPECT_EQ(linear.kind(), "linear.forward.bf16");
  EXPECT_EQ(shape_of_kind(linear.kind()), linear);
}

/// Every op of the given passes has as many sizes as its op has columns.
void expect_sizes_for_columns(const schedule::Schedule& schedule) {
  for (const schedule::ScheduledOp& op : schedule.ops) {
    const std::optional<OpShape> shape = shape_of(schedule, op, toy_tensor_device());
    if (!shape) continue;
    EXPECT_EQ(shape->sizes.size(), columns_of(shape->op).size()) << shape->kind();
    for (const double size : shape->sizes) EXPECT_GE(size, 1.0) << text_of(*shape);
  }
}

/// Products of a shape are those that the cost model counts; so are bytes where `bytes` says.
void expect_cost(const schedule::Schedule& schedule, bool bytes = true) {
  std::size_t compared = 0;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    const std::optional<OpShape> shape = shape_of(schedule, op, toy_tensor_device());
    if (!shape || !std::holds_alternative<schedule::NodeWork>(op.work)) continue;
    const OpWork work = work_of(*shape);
    if (work.matrix_flops == 0.0) continue;
    const std::optional<cost::Cost> cost = cost::cost_of(schedule, op);
    ASSERT_TRUE(cost);
    EXPECT_DOUBLE_EQ(work.matrix_flops, cost->matrix_flops.as_double()) << text_of(*shape);
    if (bytes) {
      EXPECT_DOUBLE_EQ(work.bytes, cost->bytes().as_double()) << text_of(*shape);
    }
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

TEST(OpWork, OfConvolutionsIsWhatTheCostModelCounts) {
  for (const std::int64_t groups : {1, 2, 8}) {
    for (const std::int64_t stride : {1, 2}) {
      GraphBuilder b("net");
      ValueId x = b.parameter("x", {2, 8, 8, 8});
      x = b.conv(x, "conv",
                 {.out_channels = 16,
                  .kernel = 3,
                  .stride = stride,
                  .padding = 1,
                  .groups = groups,
                  .bias = false});
      const ValueId y = b.flatten(x, 1, "flat");
      const schedule::Schedule schedule = lowered(std::move(b), y, {.phase = Phase::training});
      expect_cost(schedule);
      expect_sizes_for_columns(schedule);
    }
  }
}

TEST(OpWork, OfProductsIsWhatTheCostModelCounts) {
  GraphBuilder linear("net");
  ValueId y = linear.linear(linear.parameter("x", {20, 32}), "fc", 16, false);
  schedule::Schedule schedule = lowered(std::move(linear), y, {.phase = Phase::training});
  expect_cost(schedule);
  expect_sizes_for_columns(schedule);
  GraphBuilder product("net");
  y = product.add(graph::MatMul{},
                  {product.parameter("a", {6, 10, 20}), product.parameter("b", {6, 20, 30})}, "op");
  schedule = lowered(std::move(product), y, {.phase = Phase::training});
  expect_cost(schedule);
  // Attention's backward makes the scores again: five products to the forward's two.
  GraphBuilder attention("net");
  std::vector<ValueId> operands;
  for (const char* name : {"q", "k", "v"}) {
    operands.push_back(attention.parameter(name, {2, 4, 8, 16}));
  }
  y = attention.add(graph::Attention{}, operands, "op");
  schedule = lowered(std::move(attention), y, {.phase = Phase::training});
  expect_cost(schedule, false);
}

TEST(OpWork, OfRecurrentLayersIsWhatTheCostModelCounts) {
  for (const auto cell :
       {graph::RecurrentCell::lstm, graph::RecurrentCell::gru, graph::RecurrentCell::rnn_tanh}) {
    for (const bool both : {false, true}) {
      GraphBuilder b("net");
      const ValueId y = b.recurrent(b.parameter("x", {7, 3, 5}), "op",
                                    {.cell = cell, .layers = 3, .bidirectional = both}, 4)[0];
      const schedule::Schedule schedule = lowered(std::move(b), y, {.phase = Phase::training});
      expect_cost(schedule, false);
      expect_sizes_for_columns(schedule);
    }
  }
  // 21 samples at a step; 16 x (5 + 4) weights; x, y and, in gradients, 4 gates of 4 units.
  const OpWork forward = work_of({"lstm", "forward", "bf16", "", {3, 7, 5, 4, 1, 1}});
  EXPECT_EQ(forward.matrix_flops, 2.0 * 21 * 144);
  EXPECT_EQ(forward.bytes, 2.0 * (21 * (5 + 4) + 144));
  const OpWork back = work_of({"lstm", "data_gradient", "bf16", "", {3, 7, 5, 4, 1, 1}});
  EXPECT_EQ(back.bytes, 2.0 * (21 * (5 + 4 + 16) + 144));
}

// By hand: 2 x 64 pixels, 8 x 16 weights of 9; 4 bytes each of operand, weights and result.
TEST(OpWork, LeastBytesAreWhatNoKernelAvoids) {
  const auto least = [](std::string_view kind, std::vector<double> sizes) {
    OpShape shape = shape_of_kind(kind);
    shape.sizes = std::move(sizes);
    return least_bytes(shape);
  };
  EXPECT_EQ(least("relu.forward.f32", {100.0}), 800.0);
  EXPECT_EQ(least("cast_bf16.forward.f32", {100.0}), 600.0);
  EXPECT_EQ(least("cast_bf16_strided.forward.f32", {100.0}), 600.0);
  // Of 4 pixels a window of stride 2 x 2 a kernel of one meets one: 10 outputs, 3 to 5 channels.
  EXPECT_EQ(least("conv2d.forward.fp32.nchw", {1.0, 10.0, 3.0, 5.0, 1.0, 1.0, 4.0}),
            4.0 * (10.0 * 3.0 + 10.0 * 5.0 + 15.0));
  // Rows that indices pick may all be the same one.
  EXPECT_EQ(least("gather.forward.f32", {7.0, 16.0, 1000.0}), 4.0 * 7.0 * 16.0);
  EXPECT_EQ(least("scatter.forward.f32", {100.0}), 0.0);
}

TEST(OpWork, ByHand) {
  const OpWork conv = work_of({"conv2d", "forward", "fp32", "nchw", {2, 64, 8, 16, 1, 9, 1}});
  EXPECT_EQ(conv.matrix_flops, 2.0 * 128 * 8 * 16 * 9);
  EXPECT_EQ(conv.bytes, 4.0 * (128 * 8 + 8 * 16 * 9 + 128 * 16));
  const OpWork linear = work_of({"linear", "forward", "bf16", "", {20, 32, 16}});
  EXPECT_EQ(linear.matrix_flops, 2.0 * 20 * 32 * 16);
  EXPECT_EQ(linear.bytes, 2.0 * (20 * 32 + 32 * 16 + 20 * 16));
  const OpWork relu = work_of({"relu", "forward", "f32", "", {1000}});
  EXPECT_EQ(relu.matrix_flops, 0.0);
  EXPECT_EQ(relu.bytes, 8000.0);
  // 16 heads of which 4 share keys: 2 x 512 x 64 numbers for each of 4, and q and y of 16.
  const OpWork decode = work_of({"attention_decode", "forward", "bf16", "", {16, 4, 1, 512, 64}});
  EXPECT_EQ(decode.matrix_flops, 4.0 * 16 * 512 * 64);
  EXPECT_EQ(decode.bytes, 2.0 * (4 * 2 * 512 * 64 + 16 * 2 * 64));
  // 100 rows of 8 groups, whose matrices are read once each.
  const OpWork grouped = work_of({"grouped_matmul", "forward", "bf16", "", {8, 100, 32, 16}});
  EXPECT_EQ(grouped.matrix_flops, 2.0 * 100 * 32 * 16);
  EXPECT_EQ(grouped.bytes, 2.0 * (100 * 32 + 8 * 32 * 16 + 100 * 16));
  EXPECT_EQ(work_of({"sort", "forward", "f32", "", {3, 100}}).bytes, 2400.0);
  // 960 numbers written, a fourth of them read.
  EXPECT_EQ(work_of({"copy_expanded", "forward", "bf16", "", {960, 4, 40}}).bytes, 2.0 * 1200);
  EXPECT_EQ(element_bytes("tf32"), 4.0);
  EXPECT_EQ(element_bytes("bf16"), 2.0);
  EXPECT_EQ(element_bytes("f64"), 8.0);
  EXPECT_EQ(element_bytes("u8"), 1.0);
}

TEST(OpShape, HostClassesOfNodes) {
  using testing::ElementsAre;
  const auto classes = [](graph::Op op, std::string named = "") {
    graph::Node node;
    node.op = std::move(op);
    node.issued_as = std::move(named);
    const auto found = host_classes_of(node);
    return std::vector<std::string>(found.begin(), found.end());  // they outlive the node
  };
  EXPECT_THAT(classes(graph::Conv{}), ElementsAre("", "conv2d", ""));
  EXPECT_THAT(classes(graph::RmsNorm{}), ElementsAre("", "layer_norm", ""));
  EXPECT_THAT(classes(graph::Unary{}), ElementsAre("", "unary", ""));
  EXPECT_THAT(classes(graph::AdaptivePool{}), ElementsAre("", "reduce", ""));
  EXPECT_THAT(classes(graph::Transpose{}), ElementsAre("", "view", ""));
  EXPECT_THAT(classes(graph::Contiguous{}), ElementsAre("", "copy", ""));
  EXPECT_THAT(classes(graph::GridSample{}), ElementsAre("", "copy", ""));
  EXPECT_THAT(classes(graph::Recurrent{}), ElementsAre("", "recurrent", ""));
  EXPECT_THAT(classes(graph::Slice{}), ElementsAre("", "slice", "view"));
  EXPECT_THAT(classes(graph::Roll{}), ElementsAre("", "roll", "copy"));
  EXPECT_THAT(classes(graph::MatMul{}, "einsum"), ElementsAre("einsum", "matmul", ""));
}

// 4 x 3 + 3 = 15 gradients in one pass; everything else of loss scaling is a single number.
TEST(OpShape, LossScalingUnscalesAllGradientsAtOnce) {
  GraphBuilder b("net");
  const ValueId y = b.linear(b.input("x", {2, 4}), "fc", 3);
  const schedule::Schedule schedule = schedule::lower(
      std::move(b).finish({y}), {.phase = Phase::training, .precision = Precision::amp_fp16});
  std::vector<std::string> shapes;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    if (!std::holds_alternative<schedule::GradScalerWork>(op.work)) continue;
    const std::optional<OpShape> shape = shape_of(schedule, op, toy_tensor_device());
    if (!shape) {
      shapes.emplace_back("none");  // the host reads a flag: no kernel
      continue;
    }
    shapes.push_back(format("{} {}", shape->kind(), shape->sizes.front()));
  }
  EXPECT_THAT(shapes, ElementsAre("fill.forward.f32 1", "fill.forward.f32 1", "fill.forward.f64 1",
                                  "fill.forward.f64 1", "fill.forward.f32 1", "fill.forward.f32 1",
                                  "fill.forward.f32 1", "fill.forward.f32 1",
                                  "unscale.forward.f32 15", "none", "fill.forward.f32 2"));
}

}  // namespace
}  // namespace rooflab::predict
