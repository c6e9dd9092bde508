// What small networks lower to, entry by entry. The expected lists are what PyTorch 2.11 dispatches
// for the same modules (kernels that a library call runs inside are named in the comments).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::schedule {
namespace {

using graph::BinaryFunction;
using graph::GraphBuilder;
using graph::PoolKind;
using graph::UnaryFunction;
using graph::ValueId;
using testing::ElementsAre;
using testing::IsEmpty;

/// `conv2d`, `data_gradient conv2d`, ...; views left out.
std::vector<std::string> listing(const Schedule& schedule) {
  std::vector<std::string> lines;
  for (const ScheduledOp& op : schedule.ops) {
    if (std::holds_alternative<ViewWork>(op.work)) continue;
    const std::string name = schedule.name_of(op);
    lines.push_back(op.pass == Pass::forward ? name : format("{} {}", name_of(op.pass), name));
  }
  return lines;
}

/// The part of the list without loss and optimizer.
std::vector<std::string> passes_listing(const Schedule& schedule) {
  std::vector<std::string> lines;
  for (std::string& line : listing(schedule)) {
    if (!line.starts_with("loss ") && !line.starts_with("optimizer ")) lines.push_back(line);
  }
  return lines;
}

/// `f32 2x3` of every storage that autograd keeps, without parameters, buffers and input.
std::vector<std::string> saved_listing(const Schedule& schedule) {
  std::vector<std::string> lines;
  std::vector<StorageId> seen;
  for (const TensorId id : schedule.saved) {
    const Tensor& tensor = schedule.tensor(id);
    if (schedule.storage_of(id).role != Role::activation) continue;
    if (std::ranges::find(seen, tensor.storage) != seen.end()) continue;
    seen.push_back(tensor.storage);
    lines.push_back(
        format("{} {}", rooflab::name_of(tensor.type.dtype), tensor.type.shape.to_string()));
  }
  return lines;
}

const ScheduledOp& entry(const Schedule& schedule, std::string_view line) {
  for (const ScheduledOp& op : schedule.ops) {
    const std::string name = schedule.name_of(op);
    const std::string full =
        op.pass == Pass::forward ? name : format("{} {}", name_of(op.pass), name);
    if (full == line) return op;
  }
  throw std::runtime_error(format("no entry {}", line));
}

const LoweringOptions training{.phase = Phase::training};
const LoweringOptions forward{.phase = Phase::forward};

TEST(Lower, AClassifierTrainsInThisOrder) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  x = b.flatten(x, 1, "flatten");
  x = b.linear(x, "fc", 10);
  const Schedule schedule = lower(std::move(b).finish({x}), training);
  EXPECT_THAT(listing(schedule),
              ElementsAre("conv2d", "bias_add", "relu", "linear", "loss log_softmax",
                          "loss nll_loss", "loss fill", "loss fill", "loss nll_loss",
                          "loss log_softmax", "data_gradient linear", "weight_gradient linear",
                          "weight_gradient bias_gradient", "data_gradient relu",
                          // The first layer: no data gradient.
                          "weight_gradient conv2d", "weight_gradient bias_gradient",
                          "optimizer m *= momentum", "optimizer m += g", "optimizer p += -lr * m"));
  EXPECT_EQ(schedule.forward_end, 5u);  // with the flatten's view
}

TEST(Lower, InferenceRecordsNothing) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .bias = false});
  x = b.batch_norm(x, "bn");
  x = b.dropout(x, "drop", 0.5);
  const Schedule schedule = lower(std::move(b).finish({x}), {});
  EXPECT_THAT(listing(schedule), ElementsAre("conv2d", "batch_norm"));
  EXPECT_THAT(schedule.saved, IsEmpty());
}

TEST(Lower, TheDepthwiseKernelAddsItsBias) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 8, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 8, .kernel = 3, .groups = 8});
  EXPECT_THAT(listing(lower(std::move(b).finish({x}), {})), ElementsAre("conv2d"));
}

TEST(Lower, TrainingBatchNormCountsBatchesAndKeepsStatistics) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .bias = false});
  x = b.batch_norm(x, "bn");
  const Schedule schedule = lower(std::move(b).finish({x}), forward);
  EXPECT_THAT(listing(schedule), ElementsAre("conv2d", "count_batches", "batch_norm"));
  EXPECT_THAT(saved_listing(schedule), ElementsAre("f32 2x4x8x8", "f32 4", "f32 4"));
}

TEST(Lower, AResidualForkAccumulatesInPlace) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {2, 4, 8, 8});
  const ValueId a = b.conv(x, "conv", {.out_channels = 4, .bias = false});
  const ValueId y = b.unary(a, UnaryFunction::relu, "relu");
  ValueId z = b.binary(a, y, BinaryFunction::add, "add");
  z = b.flatten(z, 1, "flatten");
  const Schedule schedule = lower(std::move(b).finish({z}), training);
  // The sum's gradient goes to both operands as it is.
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("conv2d", "relu", "add", "data_gradient relu", "data_gradient accumulate",
                          "weight_gradient conv2d"));
  const ScheduledOp& sum = entry(schedule, "data_gradient accumulate");
  EXPECT_EQ(sum.writes.front(), sum.reads.front());
}

TEST(Lower, APartOfAConcatsGradientIsNotAddedToInPlace) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {2, 4, 8, 8});
  const ValueId a = b.conv(x, "conv", {.out_channels = 4, .bias = false});
  const ValueId y = b.unary(a, UnaryFunction::relu, "relu");
  ValueId z = b.concat({a, y}, 1, "cat");
  z = b.flatten(z, 1, "flatten");
  const Schedule schedule = lower(std::move(b).finish({z}), training);
  const ScheduledOp& sum = entry(schedule, "data_gradient accumulate");
  EXPECT_NE(schedule.tensor(sum.writes.front()).storage,
            schedule.tensor(sum.reads.front()).storage);
}

TEST(Lower, InPlaceActivationsCloneWhatTheyNeed) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .bias = false});
  x = b.unary(x, UnaryFunction::silu, "silu", true);
  x = b.conv(x, "conv2", {.out_channels = 4, .bias = false});
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  const Schedule schedule = lower(std::move(b).finish({x}), forward);
  EXPECT_THAT(listing(schedule), ElementsAre("conv2d", "copy", "silu", "conv2d", "relu"));
  // SiLU's clone, its result as the convolution's input, ReLU's result.
  EXPECT_THAT(saved_listing(schedule), ElementsAre("f32 2x4x8x8", "f32 2x4x8x8", "f32 2x4x8x8"));
}

TEST(Lower, DropoutWritesAMaskOrInPlaceNoise) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 6);
  x = b.dropout(x, "mask", 0.5);
  x = b.dropout(x, "noise", 0.5, true);
  x = b.dropout(x, "never", 0.0);
  const Schedule schedule = lower(std::move(b).finish({x}), forward);
  EXPECT_THAT(listing(schedule), ElementsAre("linear", "dropout", "random", "random", "dropout"));
  EXPECT_THAT(saved_listing(schedule), ElementsAre("bool 2x6", "f32 2x6"));
}

TEST(Lower, PoolingKeepsWhatItsGradientReads) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 2, .bias = false});
  x = b.pool(x, PoolKind::max, "max", {});
  x = b.pool(x, PoolKind::average, "average", {});
  x = b.adaptive_pool(x, "global", 1);
  x = b.flatten(x, 1, "flatten");
  const Schedule schedule = lower(std::move(b).finish({x}), training);
  EXPECT_THAT(saved_listing(schedule), ElementsAre("f32 1x2x8x8", "i64 1x2x4x4", "f32 1x2x4x4"));
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("conv2d", "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d",
                          "data_gradient adaptive_avg_pool2d", "data_gradient avg_pool2d",
                          "data_gradient max_pool2d", "weight_gradient conv2d"));
}

TEST(Lower, LinearOnATransposedInputCopiesItAndAddsTheBiasAfterwards) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 5, 4});
  x = b.linear(x, "first", 4);
  x = b.transpose(x, {1, 0, 2}, "transpose");
  x = b.linear(x, "second", 6);
  const Schedule schedule = lower(std::move(b).finish({x}), training);
  EXPECT_THAT(
      passes_listing(schedule),
      ElementsAre("linear", "copy", "linear", "bias_add",  //
                  "data_gradient linear", "weight_gradient linear", "weight_gradient bias_gradient",
                  // The gradient of the copy is transposed back and copied again.
                  "data_gradient copy", "weight_gradient linear", "weight_gradient bias_gradient"));
  const ScheduledOp& bias = entry(schedule, "bias_add");
  EXPECT_NE(bias.reads.front(), bias.writes.front());
}

TEST(Lower, AttentionKeepsItsOperandsItsResultAndARowStatistic) {
  const auto network = [] {
    GraphBuilder b("net");
    std::vector<ValueId> qkv;
    for (const char* name : {"q", "k", "v"}) {
      const ValueId x = b.input(name, {2, 3, 40, 8});
      qkv.push_back(b.linear(x, format("{}_proj", name), 8, false));
    }
    const ValueId y = b.add(graph::Attention{}, qkv, "attention");
    return std::move(b).finish({y});
  }();
  const Schedule full = lower(network, forward);
  // fp32: rows in tiles of 32, the heads inside the sequence.
  EXPECT_THAT(saved_listing(full), ElementsAre("f32 2x3x40x8", "f32 2x3x40x8", "f32 2x3x40x8",
                                               "f32 2x3x40x8", "f32 2x3x64"));
  EXPECT_EQ(full.tensor(full.outputs.front()).strides, (Strides{960, 8, 24, 1}));
  // bf16: laid out as the queries are.
  const Schedule half = lower(network, {.phase = Phase::forward, .precision = Precision::bf16});
  EXPECT_THAT(saved_listing(half), testing::Contains("f32 2x3x40"));
  EXPECT_EQ(half.tensor(half.outputs.front()).strides, (Strides{960, 320, 8, 1}));
}

/// 2 layers of LSTM, 4 units, on 3 samples of 7 steps.
graph::Graph lstm_on(graph::Recurrent op, bool trained_input) {
  GraphBuilder b("net");
  ValueId x = b.input("input", op.batch_first ? graph::Shape{3, 7, 5} : graph::Shape{7, 3, 5});
  if (trained_input) x = b.linear(x, "fc", 5, false);
  const graph::ValueId states = b.recurrent(x, "lstm", op, 4)[0];
  return std::move(b).finish({states});
}

// Zeros of both states; x, the states, y, and inside 4 gates and a cell of each unit and the
// results of layer 0: 7 x 3 x 4 x (2 x 5 + 1). Gradients: zeros for those of h and c, which nothing
// reads.
TEST(Lower, RecurrentLayersGoBackOverTheDataThenTheWeights) {
  const Schedule schedule = lower(lstm_on({.layers = 2}, true), training);
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("linear", "fill", "fill", "lstm", "data_gradient fill",
                          "data_gradient fill", "data_gradient lstm", "weight_gradient fill",
                          "weight_gradient lstm", "weight_gradient linear"));
  EXPECT_THAT(saved_listing(schedule),
              ElementsAre("f32 7x3x5", "f32 2x3x4", "f32 2x3x4", "f32 7x3x4", "f32 924"));
  const ScheduledOp& data = entry(schedule, "data_gradient lstm");
  EXPECT_EQ(data.writes.size(), 3U);
  EXPECT_EQ(schedule.tensor(data.writes[0]).type.shape, (graph::Shape{7, 3, 5}));
  EXPECT_EQ(entry(schedule, "weight_gradient lstm").writes.size(), 8U);
  EXPECT_THAT(passes_listing(lower(lstm_on({.layers = 2}, true), {})),
              ElementsAre("linear", "fill", "fill", "lstm"));
  EXPECT_EQ(entry(lower(lstm_on({.layers = 2}, true), {}), "lstm").writes.size(), 3U);
}

// cuDNN makes the gradient of x whether it is needed or not.
TEST(Lower, RecurrentLayersOnTheInputRunBothGradients) {
  const Schedule schedule = lower(lstm_on({}, false), training);
  EXPECT_EQ(entry(schedule, "data_gradient lstm").writes.size(), 3U);
  EXPECT_THAT(saved_listing(schedule),
              ElementsAre("f32 1x3x4", "f32 1x3x4", "f32 7x3x4", "f32 420"));
}

// Samples before steps: a copy, twice more for the gradients; results lie steps first.
TEST(Lower, RecurrentLayersCopyWhatHasTheSamplesFirst) {
  const Schedule schedule = lower(lstm_on({.batch_first = true}, true), training);
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("linear", "copy", "fill", "fill", "lstm", "data_gradient copy",
                          "data_gradient copy", "data_gradient fill", "data_gradient fill",
                          "data_gradient lstm", "weight_gradient copy", "weight_gradient fill",
                          "weight_gradient lstm", "data_gradient copy", "weight_gradient linear"));
  EXPECT_EQ(schedule.tensor(schedule.outputs.front()).type.shape, (graph::Shape{3, 7, 4}));
  EXPECT_EQ(schedule.tensor(schedule.outputs.front()).strides, (Strides{4, 12, 1}));
}

// A plain cell's gradient needs its result alone; given states get gradients.
TEST(Lower, RecurrentStatesThatAreGivenAreNoZeros) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {7, 3, 5});
  const ValueId h = b.linear(b.input("start", {1, 3, 2}), "fc", 4, false);
  const graph::Recurrent op{.cell = graph::RecurrentCell::rnn_tanh};
  const ValueId states = b.recurrent(x, "rnn", op, 4, {h})[0];
  const Schedule schedule = lower(std::move(b).finish({states}), training);
  EXPECT_THAT(
      passes_listing(schedule),
      ElementsAre("linear", "rnn_tanh", "data_gradient fill", "data_gradient rnn_tanh",
                  "weight_gradient fill", "weight_gradient rnn_tanh", "weight_gradient linear"));
  EXPECT_THAT(saved_listing(schedule), ElementsAre("f32 1x3x4", "f32 7x3x4"));
}

TEST(Lower, LayerNormWorksOnAContiguousCopyAndKeepsTheOriginal) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 5, 4});
  x = b.linear(x, "fc", 4);
  x = b.transpose(x, {1, 0, 2}, "transpose");
  x = b.layer_norm(x, "norm");
  const Schedule schedule = lower(std::move(b).finish({x}), training);
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("linear", "copy", "layer_norm",  //
                          "data_gradient copy", "data_gradient layer_norm",
                          "data_gradient copy",  // the transposed gradient, for the products
                          "weight_gradient linear", "weight_gradient bias_gradient"));
}

TEST(Lower, ViewsHandGradientsOnAndSlicesFillAndCopy) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 6, false);
  x = b.add(graph::Slice{{1}, {0}, {3}, {1}}, {x}, "slice");
  const Schedule schedule = lower(std::move(b).finish({x}), training);
  EXPECT_THAT(
      passes_listing(schedule),
      ElementsAre("linear", "data_gradient fill", "data_gradient copy", "weight_gradient linear"));
}

TEST(Lower, GridSampleScattersOntoZerosAndAlwaysMakesTheGridsGradient) {
  const auto lowered = [](graph::GridSample op, bool trains_image, bool trains_grid) {
    GraphBuilder b("net");
    ValueId x = b.input("input", {2, 3, 4, 4});
    ValueId grid = b.input("grid", {2, 5, 6, 2});
    const ValueId scale = b.parameter("scale", {1});
    if (trains_image) x = b.binary(x, scale, BinaryFunction::sub, "image");
    if (trains_grid) grid = b.binary(grid, scale, BinaryFunction::sub, "places");
    const ValueId sample = b.add(op, {x, grid}, "sample");
    return lower(std::move(b).finish({sample}), training);
  };
  const auto written = [](const Schedule& schedule) {
    std::string shapes;
    for (const TensorId id : entry(schedule, "data_gradient grid_sample").writes) {
      shapes += schedule.tensor(id).type.shape.to_string() + " ";
    }
    return shapes;
  };
  const graph::GridSample plain{};
  const Schedule both = lowered(plain, true, true);
  EXPECT_THAT(saved_listing(both), ElementsAre("f32 2x3x4x4", "f32 2x5x6x2"));
  EXPECT_EQ(written(both), "2x3x4x4 2x5x6x2 ");
  const auto fills = [](const Schedule& schedule) {
    return std::ranges::count(listing(schedule), "data_gradient fill");
  };
  EXPECT_EQ(fills(both), 1);
  EXPECT_EQ(written(lowered(plain, true, false)), "2x3x4x4 2x5x6x2 ");
  EXPECT_EQ(written(lowered(plain, false, true)), "2x5x6x2 ");
  EXPECT_EQ(fills(lowered(plain, false, true)), 0);
  // cuDNN's spatial transformer.
  graph::GridSample aligned;
  aligned.align_corners = true;
  EXPECT_EQ(fills(lowered(aligned, true, true)), 0);
  EXPECT_EQ(written(lowered(aligned, false, true)), "2x3x4x4 2x5x6x2 ");
}

TEST(Lower, ABackwardSliceIsACopy) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.add(graph::Slice{{1}, {3}, {-1}, {-1}}, {x}, "flip");
  const Schedule schedule = lower(std::move(b).finish({x}), {});
  EXPECT_THAT(listing(schedule), ElementsAre("slice"));
  EXPECT_EQ(schedule.ops.front().writes.size(), 1u);
}

// torch.roll of two axes is a roll of a roll; the first one copies a transposed operand.
TEST(Lower, ARollIsOnePassAnAxisAndKeepsNothing) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4, 6});
  x = b.linear(x, "fc", 6, false);
  x = b.transpose(x, {0, 2, 1}, "turn");
  x = b.add(graph::Roll{{-3, -3}, {1, 2}}, {x}, "roll");
  const Schedule schedule = lower(std::move(b).finish({x}), training);
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("linear", "copy", "roll", "roll", "data_gradient roll",
                          "data_gradient roll", "data_gradient copy", "weight_gradient linear"));
  EXPECT_THAT(saved_listing(schedule), IsEmpty());
}

// Source: GatherBackward0 and IndexBackward0 of PyTorch: the one saves its data too.
TEST(Lower, GathersOfElementsKeepIndicesAndAddTheirGradientToZeros) {
  for (const graph::IndexForm form : {graph::IndexForm::elements, graph::IndexForm::nd}) {
    GraphBuilder b("net");
    ValueId x = b.input("input", {2, 6});
    x = b.linear(x, "fc", 6, false);
    const ValueId indices =
        b.add(graph::Cast{DType::i64}, {b.input("which", {2, 1}, DType::i32)}, "indices");
    x = b.add(graph::GatherElements{form, 1}, {x, indices}, "gather");
    const Schedule schedule = lower(std::move(b).finish({x}), training);
    EXPECT_THAT(passes_listing(schedule),
                ElementsAre("linear", "cast", "gather_elements", "data_gradient fill",
                            "data_gradient gather_elements", "weight_gradient linear"));
    if (form == graph::IndexForm::elements) {
      EXPECT_THAT(saved_listing(schedule), ElementsAre("i64 2x1", "f32 2x6"));
    } else {
      EXPECT_THAT(saved_listing(schedule), ElementsAre("i64 2x1"));
    }
  }
}

// Source: PyTorch's derivatives of scatter.src, scatter_add, index_put and scatter_reduce.two.
TEST(Lower, AScatterCopiesItsDataAndItsGradientDependsOnTheReduction) {
  using graph::IndexForm;
  using graph::ScatterReduction;
  const auto schedule_of = [](IndexForm form, ScatterReduction reduction) {
    GraphBuilder b("net");
    ValueId x = b.input("input", {2, 6});
    x = b.linear(x, "fc", 6, false);
    const ValueId indices =
        b.add(graph::Cast{DType::i64}, {b.input("which", {2, 1}, DType::i32)}, "indices");
    const bool elements = form == IndexForm::elements;
    const ValueId updates =
        b.parameter("updates", elements ? graph::Shape{2, 1} : graph::Shape{2, 6});
    x = b.add(graph::Scatter{form, 1, reduction}, {x, indices, updates}, "scatter");
    return lower(std::move(b).finish({x}), training);
  };
  const Schedule put = schedule_of(IndexForm::elements, ScatterReduction::none);
  EXPECT_THAT(passes_listing(put), ElementsAre("linear", "cast", "copy", "scatter",
                                               "data_gradient copy", "data_gradient scatter",
                                               "data_gradient scatter", "weight_gradient linear"));
  EXPECT_THAT(saved_listing(put), ElementsAre("i64 2x1"));
  const Schedule slices = schedule_of(IndexForm::nd, ScatterReduction::none);
  EXPECT_THAT(
      passes_listing(slices),
      ElementsAre("linear", "cast", "copy", "scatter", "data_gradient copy", "data_gradient fill",
                  "data_gradient scatter", "data_gradient scatter", "weight_gradient linear"));
  const Schedule added = schedule_of(IndexForm::elements, ScatterReduction::add);
  EXPECT_THAT(passes_listing(added),
              ElementsAre("linear", "cast", "copy", "scatter", "data_gradient scatter",
                          "weight_gradient linear"));
  EXPECT_THAT(saved_listing(added), ElementsAre("i64 2x1"));
  const Schedule largest = schedule_of(IndexForm::elements, ScatterReduction::maximum);
  EXPECT_THAT(passes_listing(largest),
              ElementsAre("linear", "cast", "copy", "scatter", "data_gradient scatter",
                          "data_gradient scatter", "weight_gradient linear"));
  EXPECT_THAT(saved_listing(largest), ElementsAre("i64 2x1", "f32 2x6", "f32 2x6"));
}

TEST(Lower, SplitGathersTheGradientsOfItsParts) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 6, false);
  const std::vector<ValueId> parts = b.add_all(graph::Split{1, {2, 4}}, {x}, "split");
  const Schedule schedule = lower(std::move(b).finish({parts[1]}), training);
  // The part without a gradient gives zeros.
  EXPECT_THAT(
      passes_listing(schedule),
      ElementsAre("linear", "data_gradient fill", "data_gradient copy", "weight_gradient linear"));
}

TEST(Lower, ABroadcastOperandsGradientIsSummed) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 3, 4});
  x = b.linear(x, "fc", 4, false);
  const ValueId scale = b.parameter("scale", {4});
  x = b.binary(x, scale, BinaryFunction::mul, "mul");
  const Schedule schedule = lower(std::move(b).finish({x}), training);
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("linear", "mul", "data_gradient mul", "data_gradient mul",
                          "data_gradient sum_to_shape", "weight_gradient linear"));
}

TEST(Lower, SideHeadsRunInTrainingAndHaveNoBackward) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "trunk", 6, false);
  b.set_training_only(true);
  b.linear(x, "side", 3, false);
  b.set_training_only(false);
  x = b.linear(x, "head", 3, false);
  const graph::Graph network = std::move(b).finish({x});
  const Schedule schedule = lower(network, training);
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("linear", "linear", "linear", "data_gradient linear",
                          "weight_gradient linear", "weight_gradient linear"));
  EXPECT_EQ(schedule.outputs.size(), 2u);
  // Two of the three weights got gradients and take part in the step.
  EXPECT_EQ(entry(schedule, "optimizer p += -lr * m").writes.size(), 2u);
  EXPECT_THAT(listing(lower(network, {})), ElementsAre("linear", "linear"));
}

TEST(Lower, AChannelsLastConvolutionGivesItsWeightsGradientBackInTheirLayout) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 8, 8, 4});
  x = b.linear(x, "fc", 4, false);
  x = b.transpose(x, {0, 3, 1, 2}, "to_channels_last");
  x = b.conv(x, "conv", {.out_channels = 6, .kernel = 3, .bias = false});
  x = b.flatten(x, 1, "flatten");
  const Schedule schedule = lower(std::move(b).finish({x}), training);
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("linear", "copy", "conv2d",  // the weight in channels-last order
                          "copy",                      // flatten
                          "data_gradient copy",        // the gradient in channels-last order
                          "data_gradient copy",        // the weight again
                          "data_gradient conv2d", "weight_gradient conv2d", "weight_gradient copy",
                          "weight_gradient linear"));
}

TEST(Lower, AutocastCastsAParameterOnceAndMirrorsCastsInTheBackward) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 4, false);
  x = b.add(graph::Softmax{}, {x}, "softmax");
  const Schedule schedule =
      lower(std::move(b).finish({x}), {.phase = Phase::training, .precision = Precision::amp});
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("cast", "cast", "linear", "cast", "softmax", "data_gradient softmax",
                          "data_gradient cast", "weight_gradient linear", "weight_gradient cast"));
  // The cast weight lives to the end of the autocast block.
  EXPECT_FALSE(schedule.ops[schedule.forward_end - 1].holds.empty());
}

TEST(Lower, OptimizersRunMultiTensorPasses) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 3);
  const graph::Graph network = std::move(b).finish({x});
  const auto steps = [&network](Optimizer optimizer) {
    std::vector<std::string> lines;
    for (const std::string& line :
         listing(lower(network, {.phase = Phase::training, .optimizer = optimizer}))) {
      if (line.starts_with("optimizer ")) lines.push_back(line.substr(10));
    }
    return lines;
  };
  EXPECT_THAT(steps(Optimizer::sgd), ElementsAre("p += -lr * g"));
  EXPECT_THAT(steps(Optimizer::sgd_momentum),
              ElementsAre("m *= momentum", "m += g", "p += -lr * m"));
  EXPECT_THAT(steps(Optimizer::adam),
              ElementsAre("m = lerp(m, g)", "v *= b2", "v += (1 - b2) * g * g", "t = sqrt(v)",
                          "t /= c", "t += eps", "p += -lr * m / t"));
  EXPECT_THAT(steps(Optimizer::none), IsEmpty());
}

// Forward, loss and backward are the same; the weight's gradient [3, 4] and the bias's [3] stay.
TEST(Lower, WithoutAnOptimizerAStepEndsWithTheBackwardPass) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 3);
  const graph::Graph network = std::move(b).finish({x});
  for (const Precision precision : {Precision::fp32, Precision::amp_fp16}) {
    const Schedule with = lower(
        network, {.phase = Phase::training, .precision = precision, .optimizer = Optimizer::sgd});
    const Schedule without = lower(
        network, {.phase = Phase::training, .precision = precision, .optimizer = Optimizer::none});
    std::vector<std::string> expected = listing(with);
    std::erase_if(expected, [](const std::string& line) { return line.starts_with("optimizer "); });
    EXPECT_EQ(listing(without), expected);
    ASSERT_EQ(without.parameter_gradients.size(), 2u);
    EXPECT_EQ(without.tensor(without.parameter_gradients[0]).type.shape, graph::Shape({3, 4}));
    EXPECT_EQ(without.tensor(without.parameter_gradients[1]).type.shape, graph::Shape({3}));
  }
}

// An importer has no extents of what a custom operator gives; weights before it are trained still.
TEST(Lower, WhatLiesBeforeAResultOfUnknownShapeIsTrained) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 3);
  graph::Opaque op{"com.acme", "Fold", {{}}, {DType::f32}};
  op.bounded = false;
  const std::vector<ValueId> results = b.add_all(op, {x}, "fold");
  const graph::Graph network = std::move(b).finish({results.front()});
  const Schedule schedule =
      lower(network, {.phase = Phase::training, .optimizer = Optimizer::adam});
  EXPECT_THAT(passes_listing(schedule),
              ElementsAre("linear", "Fold", "data_gradient Fold", "weight_gradient linear",
                          "weight_gradient bias_gradient"));
  EXPECT_EQ(schedule.parameter_gradients.size(), 2u);
}

// While a module runs, its caller still names what it passed in.
TEST(Lower, AModulesArgumentLivesUntilTheModuleReturns) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "stem", 4, false);
  const ValueId argument = x;
  {
    const auto scope = b.scope("layer");
    x = b.linear(x, "0", 4, false);
    x = b.linear(x, "1", 4, false);
  }
  x = b.linear(x, "head", 4, false);
  const Schedule schedule = lower(std::move(b).finish({x}), {});
  (void)argument;
  ASSERT_EQ(schedule.ops.size(), 4u);
  EXPECT_THAT(schedule.ops[2].holds, ElementsAre(schedule.ops[0].writes.front()));
  EXPECT_THAT(schedule.ops[3].holds, IsEmpty());
}

}  // namespace
}  // namespace rooflab::schedule
