// Vector FLOPs and bytes of everything that is not a product, by hand.
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "entry_cost.hpp"

namespace rooflab::cost {
namespace {

using graph::BinaryFunction;
using graph::GraphBuilder;
using graph::PoolKind;
using graph::ReduceFunction;
using graph::UnaryFunction;
using graph::ValueId;

/// input 2x3x4x4 (96 elements, 384 bytes) -> depthwise product, so that gradients are needed -> op.
class Network {
 public:
  explicit Network(bool differentiable) : b_("net") {
    x_ = b_.input("input", {2, 3, 4, 4});
    if (!differentiable) return;
    const ValueId scale = b_.parameter("scale", {1});
    x_ = b_.binary(x_, scale, BinaryFunction::sub, "sub");
  }
  GraphBuilder& builder() { return b_; }
  ValueId x() const { return x_; }

 private:
  GraphBuilder b_;
  ValueId x_ = 0;
};

template <class MakeOp>
Cost inference_cost(MakeOp make, std::string_view line) {
  Network network(false);
  const ValueId y = make(network.builder(), network.x());
  return entry_cost(inference_of(std::move(network.builder()), y), line);
}

template <class MakeOp>
schedule::Schedule training_schedule(MakeOp make) {
  Network network(true);
  const ValueId y = make(network.builder(), network.x());
  return training_of(std::move(network.builder()), y);
}

struct UnaryCase {
  UnaryFunction function;
  const char* name;
  int forward;
  int backward;
};

TEST(VectorCost, UnaryFunctionsCountTheOperationsOfTheirDefinition) {
  using enum UnaryFunction;
  for (const UnaryCase& one : {
           UnaryCase{relu, "relu", 1, 1},
           UnaryCase{relu6, "relu6", 2, 1},
           UnaryCase{sigmoid, "sigmoid", 4, 3},  // -x, exp, 1+, 1/; y(1-y)dy
           UnaryCase{silu, "silu", 5, 7},
           UnaryCase{hardsigmoid, "hardsigmoid", 4, 2},
           UnaryCase{hardswish, "hardswish", 5, 4},
           UnaryCase{gelu, "gelu", 5, 10},  // x/sqrt2, erf, 1+, *x, /2
           UnaryCase{gelu_tanh, "gelu_tanh", 9, 18},
           UnaryCase{tanh, "tanh", 1, 3},
           UnaryCase{exp, "exp", 1, 2},
           UnaryCase{neg, "neg", 1, 1},
       }) {
    const auto make = [&one](GraphBuilder& b, ValueId x) { return b.unary(x, one.function, "f"); };
    const schedule::Schedule schedule = training_schedule(make);
    EXPECT_EQ(entry_cost(schedule, one.name).vector_flops, Flops(96 * one.forward)) << one.name;
    EXPECT_EQ(entry_cost(schedule, format("data_gradient {}", one.name)).vector_flops,
              Flops(96 * one.backward))
        << one.name;
    EXPECT_EQ(entry_cost(schedule, one.name).bytes(), Bytes(2 * 384)) << one.name;
  }
}

// The gradient of ReLU reads dy and the result: 3 * 384 bytes with what it writes.
TEST(VectorCost, AnElementwiseGradientReadsWhatWasSaved) {
  const schedule::Schedule schedule = training_schedule(
      [](GraphBuilder& b, ValueId x) { return b.unary(x, UnaryFunction::relu, "relu"); });
  EXPECT_EQ(entry_cost(schedule, "data_gradient relu").bytes(), Bytes(3 * 384));
}

TEST(VectorCost, BinaryOpsReadABroadcastOperandOnce) {
  const Cost cost = inference_cost(
      [](GraphBuilder& b, ValueId x) {
        return b.binary(x, b.parameter("scale", {3, 1, 1}), BinaryFunction::mul, "mul");
      },
      "mul");
  EXPECT_EQ(cost.vector_flops, Flops(96));
  EXPECT_EQ(cost.bytes_read, Bytes(384 + 12));
  EXPECT_EQ(cost.bytes_written, Bytes(384));
}

// Extents of stride 0 are read once.
TEST(VectorCost, AnExpandedOperandCountsItsDistinctElements) {
  const Cost cost = inference_cost(
      [](GraphBuilder& b, ValueId x) {
        ValueId bias = b.parameter("bias", {1, 3, 1, 1});
        bias = b.add(graph::Expand{{2, -1, 4, 4}}, {bias}, "expand");
        return b.binary(x, bias, BinaryFunction::add, "add");
      },
      "add");
  EXPECT_EQ(cost.bytes_read, Bytes(384 + 12));
}

// Training: mean, variance, scaling, affine: 8 an element; backward 9; evaluation 4.
TEST(VectorCost, BatchNorm) {
  const auto make = [](GraphBuilder& b, ValueId x) { return b.batch_norm(x, "bn"); };
  EXPECT_EQ(inference_cost(make, "batch_norm").vector_flops, Flops(4 * 96));
  const schedule::Schedule schedule = training_schedule(make);
  const Cost forward = entry_cost(schedule, "batch_norm");
  EXPECT_EQ(forward.vector_flops, Flops(8 * 96));
  // x, weight, bias and the running statistics; y, two statistics and the running ones: 3 channels.
  EXPECT_EQ(forward.bytes_read, Bytes(384 + 4 * 12));
  EXPECT_EQ(forward.bytes_written, Bytes(384 + 4 * 12));
  const Cost backward = entry_cost(schedule, "data_gradient batch_norm");
  EXPECT_EQ(backward.vector_flops, Flops(9 * 96));
  // dy, x, mean, inverse deviation, weight; dx, dweight, dbias.
  EXPECT_EQ(backward.bytes_read, Bytes(2 * 384 + 3 * 12));
  EXPECT_EQ(backward.bytes_written, Bytes(384 + 2 * 12));
}

// Rows of 4: 24 rows, two fp32 statistics each.
TEST(VectorCost, LayerNorm) {
  const schedule::Schedule schedule =
      training_schedule([](GraphBuilder& b, ValueId x) { return b.layer_norm(x, "norm"); });
  const Cost forward = entry_cost(schedule, "layer_norm");
  EXPECT_EQ(forward.vector_flops, Flops(8 * 96));
  EXPECT_EQ(forward.bytes_read, Bytes(384 + 2 * 16));
  EXPECT_EQ(forward.bytes_written, Bytes(384 + 2 * 96));
  EXPECT_EQ(entry_cost(schedule, "data_gradient layer_norm").vector_flops, Flops(13 * 96));
}

TEST(VectorCost, NormsWithoutMeanOrAffine) {
  const auto rms = [](GraphBuilder& b, ValueId x) { return b.add(graph::RmsNorm{}, {x}, "n"); };
  EXPECT_EQ(entry_cost(training_schedule(rms), "rms_norm").vector_flops, Flops(3 * 96));
  EXPECT_EQ(entry_cost(training_schedule(rms), "data_gradient rms_norm").vector_flops,
            Flops(6 * 96));
  const auto layer = [](GraphBuilder& b, ValueId x) { return b.add(graph::LayerNorm{}, {x}, "n"); };
  EXPECT_EQ(entry_cost(training_schedule(layer), "layer_norm").vector_flops, Flops(6 * 96));
  const auto response = [](GraphBuilder& b, ValueId x) {
    return b.add(graph::LocalResponseNorm{5}, {x}, "n");
  };
  // Square, four adds, scale, add, power, divide.
  EXPECT_EQ(inference_cost(response, "local_response_norm").vector_flops, Flops(9 * 96));
}

TEST(VectorCost, Softmax) {
  const schedule::Schedule schedule = training_schedule(
      [](GraphBuilder& b, ValueId x) { return b.add(graph::Softmax{}, {x}, "softmax"); });
  EXPECT_EQ(entry_cost(schedule, "softmax").vector_flops, Flops(5 * 96));
  EXPECT_EQ(entry_cost(schedule, "data_gradient softmax").vector_flops, Flops(4 * 96));
}

// 2x2 windows: 24 outputs; max 3 comparisons, indices of 8 bytes; average 3 adds and a division.
TEST(VectorCost, WindowedPooling) {
  const schedule::Schedule max = training_schedule(
      [](GraphBuilder& b, ValueId x) { return b.pool(x, PoolKind::max, "pool", {}); });
  EXPECT_EQ(entry_cost(max, "max_pool2d").vector_flops, Flops(24 * 3));
  EXPECT_EQ(entry_cost(max, "max_pool2d").bytes_written, Bytes(24 * 4 + 24 * 8));
  EXPECT_EQ(entry_cost(max, "data_gradient max_pool2d").vector_flops, Flops(24));
  EXPECT_EQ(entry_cost(max, "data_gradient max_pool2d").bytes_read, Bytes(24 * 4 + 24 * 8));
  EXPECT_EQ(entry_cost(max, "data_gradient max_pool2d").bytes_written, Bytes(384));
  const schedule::Schedule average = training_schedule(
      [](GraphBuilder& b, ValueId x) { return b.pool(x, PoolKind::average, "pool", {}); });
  EXPECT_EQ(entry_cost(average, "avg_pool2d").vector_flops, Flops(24 * 4));
  EXPECT_EQ(entry_cost(average, "data_gradient avg_pool2d").vector_flops, Flops(24 * 5));
}

// Global average: 96 adds and divisions; the gradient divides 6 numbers spread over 96.
TEST(VectorCost, GlobalPooling) {
  const schedule::Schedule schedule =
      training_schedule([](GraphBuilder& b, ValueId x) { return b.adaptive_pool(x, "pool", 1); });
  EXPECT_EQ(entry_cost(schedule, "adaptive_avg_pool2d").vector_flops, Flops(96));
  const Cost backward = entry_cost(schedule, "data_gradient adaptive_avg_pool2d");
  EXPECT_EQ(backward.vector_flops, Flops(96));
  EXPECT_EQ(backward.bytes_read, Bytes(24));
  EXPECT_EQ(backward.bytes_written, Bytes(384));
}

// Over the 4x4 positions: 96 inputs, 6 results.
TEST(VectorCost, Reductions) {
  const auto flops = [](ReduceFunction function, const char* name) {
    return inference_cost(
               [function](GraphBuilder& b, ValueId x) {
                 return b.add(graph::Reduce{function, {2, 3}, false}, {x}, "reduce");
               },
               name)
        .vector_flops;
  };
  EXPECT_EQ(flops(ReduceFunction::mean, "mean"), Flops(96));
  EXPECT_EQ(flops(ReduceFunction::sum, "sum"), Flops(90));
  EXPECT_EQ(flops(ReduceFunction::maximum, "maximum"), Flops(90));
  EXPECT_EQ(flops(ReduceFunction::l2, "l2"), Flops(192));
}

TEST(VectorCost, DropoutScalesAndWritesAMask) {
  const schedule::Schedule schedule =
      training_schedule([](GraphBuilder& b, ValueId x) { return b.dropout(x, "drop", 0.5); });
  EXPECT_EQ(entry_cost(schedule, "dropout").vector_flops, Flops(2 * 96));
  EXPECT_EQ(entry_cost(schedule, "dropout").bytes_written, Bytes(384 + 96));
  EXPECT_EQ(entry_cost(schedule, "data_gradient dropout").bytes_read, Bytes(384 + 96));
}

// Moving data: no FLOP, every byte once each way.
TEST(VectorCost, CopiesDoNoArithmetic) {
  const Cost concat = inference_cost(
      [](GraphBuilder& b, ValueId x) {
        const ValueId y = b.input("second", {2, 1, 4, 4});
        return b.concat({x, y}, 1, "cat");
      },
      "concat");
  EXPECT_EQ(concat.vector_flops, Flops(0));
  EXPECT_EQ(concat.bytes(), Bytes(2 * (384 + 128)));
}

// 96 floats read and written by the first of two passes.
TEST(VectorCost, ARollMovesEveryElementOnceAnAxis) {
  const Cost roll = inference_cost(
      [](GraphBuilder& b, ValueId x) {
        return b.add(graph::Roll{{1, 2}, {2, 3}}, {x}, "roll");
      },
      "roll");
  EXPECT_EQ(roll.vector_flops, Flops(0));
  EXPECT_EQ(roll.bytes(), Bytes(2 * 384));
}

// A view moves nothing, and is covered.
TEST(VectorCost, ViewsCostNothing) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 3, 4, 4});
  x = b.flatten(x, 1, "flatten");
  const schedule::Schedule schedule = inference_of(std::move(b), x);
  ASSERT_EQ(schedule.ops.size(), 1u);
  const std::optional<Cost> cost = cost_of(schedule, schedule.ops.front());
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->bytes(), Bytes(0));
}

// 5 rows of 8 numbers from a table of 1000: rows read and written, 5 indices of 8 bytes.
TEST(VectorCost, AnEmbeddingReadsItsRowsOnly) {
  GraphBuilder b("net");
  const ValueId table = b.parameter("table", {1000, 8});
  const ValueId ids = b.input("ids", {5}, DType::i64);
  const ValueId y = b.add(graph::Gather{0}, {table, ids}, "embedding");
  const Cost cost = entry_cost(inference_of(std::move(b), y), "gather");
  EXPECT_EQ(cost.bytes_read, Bytes(160 + 40));
  EXPECT_EQ(cost.bytes_written, Bytes(160));
}

// Two rows of 6 floats of 100, and their indices; the copy of the data before it moves the rest.
TEST(VectorCost, AScatterTouchesWhatItsIndicesName) {
  GraphBuilder b("net");
  const ValueId data = b.parameter("data", {100, 6});
  const ValueId indices = b.input("which", {2, 1}, DType::i64);
  const ValueId updates = b.parameter("updates", {2, 6});
  const graph::Scatter op{graph::IndexForm::nd, 0, graph::ScatterReduction::add};
  const ValueId y = b.add(op, {data, indices, updates}, "scatter");
  const schedule::Schedule schedule = training_of(std::move(b), y);
  EXPECT_EQ(entry_cost(schedule, "copy").bytes(), Bytes(2 * 2400));
  const Cost forward = entry_cost(schedule, "scatter");
  EXPECT_EQ(forward.vector_flops, Flops(12));
  EXPECT_EQ(forward.bytes_read, Bytes(48 + 16));
  EXPECT_EQ(forward.bytes_written, Bytes(48));
  const Cost gradient = entry_cost(schedule, "data_gradient scatter");
  EXPECT_EQ(gradient.vector_flops, Flops(0));
  EXPECT_EQ(gradient.bytes_read, Bytes(48 + 16));
  EXPECT_EQ(gradient.bytes_written, Bytes(48));
}

// Doubling both extents of 96 elements: three lerps of 3 an output.
TEST(VectorCost, BilinearResizing) {
  const Cost cost = inference_cost(
      [](GraphBuilder& b, ValueId x) {
        return b.add(graph::Resize{graph::ResizeMode::linear, {2, 3, 8, 8}}, {x}, "up");
      },
      "resize");
  EXPECT_EQ(cost.vector_flops, Flops(384 * 9));
}

// Places 2x5x6 in images 2x3x4x4 (384 bytes): 60 places, 180 elements (720 bytes), a grid of 480
// bytes. An element is a sum of 4 weighted neighbours, 7; a place has 2 coordinates by a product
// and a sum each (4), their floors and distances (6) and 4 products of these: 14. Backward an
// element adds 4 products (8) to the image, and to each of 2 coordinates a sum of 4 neighbours (7),
// times dy, added (9); a place scales 2 coordinates.
TEST(VectorCost, BilinearSamplingAtAGridsPlaces) {
  const schedule::Schedule schedule = training_schedule([](GraphBuilder& b, ValueId x) {
    return b.add(graph::GridSample{}, {x, b.parameter("grid", {2, 5, 6, 2})}, "sample");
  });
  const Cost forward = entry_cost(schedule, "grid_sample");
  EXPECT_EQ(forward.vector_flops, Flops(180 * 7 + 60 * 14));
  EXPECT_EQ(forward.bytes_read, Bytes(384 + 480));
  EXPECT_EQ(forward.bytes_written, Bytes(720));
  const Cost backward = entry_cost(schedule, "data_gradient grid_sample");
  EXPECT_EQ(backward.vector_flops, Flops(180 * (8 + 2 * 9) + 60 * (14 + 2)));
  EXPECT_EQ(backward.bytes_read, Bytes(720 + 384 + 480));
  EXPECT_EQ(backward.bytes_written, Bytes(384 + 480));
}

TEST(VectorCost, OtherWaysOfSampling) {
  using graph::GridSample;
  using graph::GridSampleMode;
  using graph::GridSamplePadding;
  const auto flops_of = [](GridSample op, graph::Shape shape, graph::Shape places) {
    GraphBuilder b("net");
    const ValueId x = b.input("input", std::move(shape));
    const ValueId y = b.add(op, {x, b.input("grid", std::move(places))}, "sample");
    return entry_cost(inference_of(std::move(b), y), "grid_sample").vector_flops;
  };
  // 30 places of 3 channels. Rounding and reflecting 3 coordinates: 3 (2 + 8 + 1).
  EXPECT_EQ(flops_of({GridSampleMode::nearest, GridSamplePadding::reflection}, {1, 3, 4, 4, 4},
                     {1, 5, 6, 1, 3}),
            Flops(30 * 33));
  // 8 neighbours: 15 an element; 3 coordinates clipped (2 + 2 + 3 each), 8 products of 3 distances.
  EXPECT_EQ(flops_of({GridSampleMode::bilinear, GridSamplePadding::border}, {1, 3, 4, 4, 4},
                     {1, 5, 6, 1, 3}),
            Flops(90 * 15 + 30 * (21 + 16)));
  // Five sums of 4 taps, 7 each; 2 coordinates (2) with a floor, a distance and coefficients (25).
  EXPECT_EQ(
      flops_of({GridSampleMode::bicubic, GridSamplePadding::border}, {1, 3, 4, 4}, {1, 5, 6, 2}),
      Flops(90 * 35 + 30 * 2 * (2 + 2 + 25)));
}

TEST(VectorCost, AnUnknownOpHasNoCost) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 3});
  x = b.add(graph::Opaque{"com.acme", "Mystery", {{2, 3}}, {DType::f32}}, {x}, "mystery");
  const schedule::Schedule schedule = inference_of(std::move(b), x);
  EXPECT_EQ(cost_of(schedule, schedule.ops.front()), std::nullopt);
}

// 4 rows of 10 logits. Log-softmax 5 an element, its gradient 4; likelihood 2 a row, one number and
// one label of each row read.
TEST(VectorCost, Loss) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {4, 3});
  x = b.linear(x, "fc", 10);
  const schedule::Schedule schedule = training_of(std::move(b), x);
  std::vector<Cost> softmax;
  std::vector<Cost> likelihood;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    if (std::holds_alternative<schedule::LogSoftmaxWork>(op.work)) {
      softmax.push_back(*cost_of(schedule, op));
    }
    if (std::holds_alternative<schedule::NegativeLogLikelihoodWork>(op.work)) {
      likelihood.push_back(*cost_of(schedule, op));
    }
  }
  ASSERT_EQ(softmax.size(), 2u);
  ASSERT_EQ(likelihood.size(), 2u);
  EXPECT_EQ(softmax[0].vector_flops, Flops(5 * 40));
  EXPECT_EQ(softmax[0].bytes(), Bytes(2 * 160));
  EXPECT_EQ(softmax[1].vector_flops, Flops(4 * 40));
  EXPECT_EQ(softmax[1].bytes(), Bytes(3 * 160));
  EXPECT_EQ(likelihood[0].vector_flops, Flops(8));
  EXPECT_EQ(likelihood[0].bytes_read, Bytes(4 * 8 + 4 * 4));
  EXPECT_EQ(likelihood[0].bytes_written, Bytes(4));
  EXPECT_EQ(likelihood[1].bytes_read, Bytes(4 * 8 + 4));
  EXPECT_EQ(likelihood[1].bytes_written, Bytes(4 * 4));
}

// 40 gradients multiplied, 160 bytes in (and the factor) and out.
TEST(VectorCost, Unscaling) {
  GraphBuilder b("net");
  const ValueId x = b.linear(b.input("input", {4, 3}), "fc", 10);
  const schedule::Schedule schedule = schedule::lower(
      std::move(b).finish({x}), {.phase = Phase::training, .precision = Precision::amp_fp16});
  const Cost cost = entry_cost(schedule, "optimizer unscale");
  EXPECT_EQ(cost.vector_flops, Flops(40));
  EXPECT_EQ(cost.bytes_read, Bytes(160 + 4));
  EXPECT_EQ(cost.bytes_written, Bytes(160));
}

// 3 * 10 + 10 = 40 parameters: m *= 1, m += 1, p += 2 an element; 8, 12 and 12 bytes.
TEST(VectorCost, SgdWithMomentum) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {4, 3});
  x = b.linear(x, "fc", 10);
  const schedule::Schedule schedule = training_of(std::move(b), x);
  const Cost decay = entry_cost(schedule, "optimizer m *= momentum");
  EXPECT_EQ(decay.vector_flops, Flops(40));
  EXPECT_EQ(decay.bytes(), Bytes(8 * 40));
  EXPECT_EQ(entry_cost(schedule, "optimizer m += g").bytes(), Bytes(12 * 40));
  const Cost step = entry_cost(schedule, "optimizer p += -lr * m");
  EXPECT_EQ(step.vector_flops, Flops(80));
  EXPECT_EQ(step.bytes(), Bytes(12 * 40));
}

TEST(VectorCost, CastsReadAndWriteTheirOwnTypes) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 8});
  x = b.add(graph::Cast{DType::bf16}, {x}, "cast");
  const Cost cost = entry_cost(inference_of(std::move(b), x), "cast");
  EXPECT_EQ(cost.bytes_read, Bytes(64));
  EXPECT_EQ(cost.bytes_written, Bytes(32));
  EXPECT_EQ(cost.flops(), Flops(0));
}

}  // namespace
}  // namespace rooflab::cost
