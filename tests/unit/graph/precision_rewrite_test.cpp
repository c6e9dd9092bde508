#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// `name: op (types of the operands) -> type` of every node.
std::vector<std::string> listing(const Graph& graph) {
  std::vector<std::string> lines;
  for (const Node& node : graph.nodes) {
    std::string operands;
    for (const ValueId id : node.inputs) {
      operands +=
          format("{}{}", operands.empty() ? "" : " ", rooflab::name_of(graph.type(id).dtype));
    }
    lines.push_back(format("{}: {} ({}) -> {}", node.name, name_of(node.op), operands,
                           rooflab::name_of(graph.type(node.outputs[0]).dtype)));
  }
  return lines;
}

Graph amp(GraphBuilder b, ValueId output) {
  Graph rewritten = with_precision(std::move(b).finish({output}), Precision::amp);
  EXPECT_THAT(verify(rewritten), IsEmpty());
  return rewritten;
}

TEST(PrecisionRewrite, MatrixOpsTakeBf16AndOthersFollow) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 4);
  x = b.unary(x, UnaryFunction::relu, "relu");
  EXPECT_THAT(listing(amp(std::move(b), x)),
              ElementsAre("fc.cast: cast (f32) -> bf16", "fc.cast_1: cast (f32) -> bf16",
                          "fc.cast_2: cast (f32) -> bf16", "fc: linear (bf16 bf16 bf16) -> bf16",
                          "relu: relu (bf16) -> bf16"));
}

TEST(PrecisionRewrite, AParameterIsCastOnceAnActivationAtEveryUse) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {4, 4});
  const ValueId weight = b.parameter("weight", {4, 4});
  const ValueId y = b.add(Linear{}, {x, weight}, "first");
  const ValueId z = b.add(Linear{}, {x, weight}, "second");
  const ValueId sum = b.binary(y, z, BinaryFunction::add, "add");
  EXPECT_THAT(listing(amp(std::move(b), sum)),
              ElementsAre("first.cast: cast (f32) -> bf16", "first.cast_1: cast (f32) -> bf16",
                          "first: linear (bf16 bf16) -> bf16", "second.cast: cast (f32) -> bf16",
                          "second: linear (bf16 bf16) -> bf16", "add: add (bf16 bf16) -> bf16"));
}

TEST(PrecisionRewrite, TheFp32ListCastsUp) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 4, false);
  x = b.layer_norm(x, "norm");
  const std::vector<std::string> lines = listing(amp(std::move(b), x));
  EXPECT_EQ(lines[3], "norm.cast: cast (bf16) -> f32");
  EXPECT_EQ(lines[4], "norm: layer_norm (f32 f32 f32) -> f32");
}

TEST(PrecisionRewrite, TheWidestListTakesFp32WhereOneOperandIs) {
  const auto sampled = [](bool from_convolution) {
    GraphBuilder b("net");
    ValueId grid = b.input("grid", {1, 2, 8, 8});
    const ValueId x = b.conv(grid, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
    if (from_convolution) grid = b.conv(grid, "places", {.out_channels = 2, .kernel = 1});
    grid = b.transpose(grid, {0, 2, 3, 1}, "last");
    const ValueId sample = b.add(GridSample{}, {x, grid}, "sample");
    return listing(amp(std::move(b), sample));
  };
  EXPECT_EQ(sampled(true).back(), "sample: grid_sample (bf16 bf16) -> bf16");
  const std::vector<std::string> mixed = sampled(false);
  EXPECT_EQ(mixed[mixed.size() - 2], "sample.cast: cast (bf16) -> f32");
  EXPECT_EQ(mixed.back(), "sample: grid_sample (f32 f32) -> f32");
}

// PyTorch's _cudnn_rnn_cast_reflatten casts the input, the states and the weights.
TEST(PrecisionRewrite, RecurrentLayersTakeBf16) {
  GraphBuilder b("net");
  const std::vector<ValueId> results =
      b.recurrent(b.input("input", {7, 3, 5}), "gru", {.cell = RecurrentCell::gru, .bias = false},
                  4, {b.input("h0", {1, 3, 4})});
  const std::vector<std::string> lines = listing(amp(std::move(b), results[0]));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines.back(), "gru: gru (bf16 bf16 bf16 bf16) -> bf16");
}

// Batch norm takes bf16 data with fp32 parameters; sums and concatenations promote by themselves.
TEST(PrecisionRewrite, EverythingElseTakesWhatItGets) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {2, 4, 8, 8});
  ValueId y = b.conv(x, "conv", {.out_channels = 4, .bias = false});
  y = b.batch_norm(y, "bn");
  const ValueId sum = b.binary(y, x, BinaryFunction::add, "add");
  const ValueId cat = b.concat({y, sum}, 1, "cat");
  const std::vector<std::string> lines = listing(amp(std::move(b), cat));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[3], "bn: batch_norm (bf16 f32 f32 f32 f32) -> bf16");
  EXPECT_EQ(lines[4], "add: add (bf16 f32) -> f32");
  EXPECT_EQ(lines[5], "cat: concat (bf16 f32) -> f32");
}

TEST(PrecisionRewrite, WholePrecisionsChangeEveryFloatingValue) {
  GraphBuilder b("net");
  const ValueId table = b.parameter("table", {10, 4});
  const ValueId ids = b.input("ids", {3}, DType::i64);
  const ValueId y = b.add(Gather{0}, {table, ids}, "embedding");
  const Graph graph = std::move(b).finish({y});
  for (const auto& [precision, dtype] :
       {std::pair{Precision::fp64, DType::f64}, std::pair{Precision::fp16, DType::f16},
        std::pair{Precision::bf16, DType::bf16}}) {
    const Graph rewritten = with_precision(graph, precision);
    EXPECT_THAT(verify(rewritten), IsEmpty());
    EXPECT_EQ(rewritten.type(table).dtype, dtype);
    EXPECT_EQ(rewritten.type(ids).dtype, DType::i64);
    EXPECT_EQ(rewritten.type(y).dtype, dtype);
  }
}

TEST(PrecisionRewrite, Tf32IsAWayOfMultiplyingAndChangesNoType) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 4);
  const Graph graph = std::move(b).finish({x});
  EXPECT_EQ(listing(with_precision(graph, Precision::tf32)), listing(graph));
}

// The lists are the same for both types.
TEST(PrecisionRewrite, AutocastToFp16CastsToFp16) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 4});
  x = b.linear(x, "fc", 4, false);
  x = b.layer_norm(x, "norm");
  x = b.linear(x, "head", 4, false);
  const Graph network = std::move(b).finish({x});
  const Graph half = with_precision(network, Precision::amp_fp16);
  EXPECT_THAT(verify(half), IsEmpty());
  EXPECT_THAT(listing(half),
              ElementsAre("fc.cast: cast (f32) -> f16", "fc.cast_1: cast (f32) -> f16",
                          "fc: linear (f16 f16) -> f16", "norm.cast: cast (f16) -> f32",
                          "norm: layer_norm (f32 f32 f32) -> f32", "head.cast: cast (f32) -> f16",
                          "head.cast_1: cast (f32) -> f16", "head: linear (f16 f16) -> f16"));
  EXPECT_EQ(listing(with_precision(network, Precision::amp_bf16)),
            listing(with_precision(network, Precision::amp)));
}

}  // namespace
}  // namespace rooflab::graph
