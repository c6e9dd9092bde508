#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

using testing::IsEmpty;

std::vector<std::string> node_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(node.name);
  return names;
}

TEST(SwapReluPool, ChangesPlaces) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  x = b.pool(x, PoolKind::max, "pool", {});
  x = b.flatten(x, 1, "flatten");
  const SwapReluPoolResult result = swap_relu_pool(std::move(b).finish({x}));
  EXPECT_EQ(result.swapped, 1);
  EXPECT_THAT(verify(result.graph), IsEmpty());
  EXPECT_EQ(to_text(result.graph), R"(graph net
input %input f32[1x3x8x8]
parameter %conv.weight f32[4x3x3x3]
parameter %conv.bias f32[4]
conv = conv kernel=[3,3] stride=[1,1] padding_begin=[1,1] padding_end=[1,1] dilation=[1,1] (%input, %conv.weight, %conv.bias) -> %conv f32[1x4x8x8]
pool = pool kind=max kernel=[2,2] stride=[2,2] padding_begin=[0,0] padding_end=[0,0] dilation=[1,1] (%conv) -> %pool f32[1x4x4x4]
relu = unary function=relu inplace=true (%pool) -> %relu f32[1x4x4x4]
flatten = reshape target=[1,-1] (%relu) -> %flatten f32[1x64]
outputs %flatten
)");
}

TEST(SwapReluPool, MovesBehindTwoPoolings) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1, 3, 8, 8});
  x = b.unary(x, UnaryFunction::relu, "relu");
  x = b.pool(x, PoolKind::max, "pool1", {});
  x = b.pool(x, PoolKind::max, "pool2", {});
  const SwapReluPoolResult result = swap_relu_pool(std::move(b).finish({x}));
  EXPECT_THAT(verify(result.graph), IsEmpty());
  EXPECT_THAT(node_names(result.graph), testing::ElementsAre("pool1", "pool2", "relu"));
  EXPECT_EQ(result.graph.type(result.graph.outputs[0]).shape, (Shape{1, 3, 2, 2}));
}

TEST(SwapReluPool, LeavesAReluThatFeedsMore) {
  GraphBuilder b("net");
  const ValueId x = b.unary(b.input("input", {1, 3, 8, 8}), UnaryFunction::relu, "relu");
  const ValueId pooled = b.pool(x, PoolKind::max, "pool", {});
  const ValueId other = b.unary(x, UnaryFunction::tanh, "tanh");
  EXPECT_EQ(swap_relu_pool(std::move(b).finish({pooled, other})).swapped, 0);
}

TEST(SwapReluPool, LeavesAReluThatIsAnOutput) {
  GraphBuilder b("net");
  const ValueId x = b.unary(b.input("input", {1, 3, 8, 8}), UnaryFunction::relu, "relu");
  const ValueId pooled = b.pool(x, PoolKind::max, "pool", {});
  EXPECT_EQ(swap_relu_pool(std::move(b).finish({pooled, x})).swapped, 0);
}

TEST(SwapReluPool, LeavesOtherPoolingsAndActivations) {
  GraphBuilder b("net");
  const ValueId input = b.input("input", {1, 3, 8, 8});
  const ValueId average =
      b.pool(b.unary(input, UnaryFunction::relu, "relu"), PoolKind::average, "average", {});
  const ValueId gelu =
      b.pool(b.unary(input, UnaryFunction::gelu, "gelu"), PoolKind::max, "max", {});
  EXPECT_EQ(swap_relu_pool(std::move(b).finish({average, gelu})).swapped, 0);
}

TEST(SwapReluPool, LeavesAPoolingWithWindowsOfPaddingAlone) {
  GraphBuilder b("net");
  ValueId x = b.unary(b.input("input", {1, 1, 4, 4}), UnaryFunction::relu, "relu");
  x = b.add(Pool{PoolKind::max, {2, 2}, {1, 1}, {2, 2}, {2, 2}, {1, 1}}, {x}, "pool");
  EXPECT_EQ(swap_relu_pool(std::move(b).finish({x})).swapped, 0);
}

TEST(SwapReluPool, AReaderBeforeTheInPlaceReluStaysSound) {
  GraphBuilder b("net");
  const ValueId x = b.unary(b.input("input", {1, 3, 8, 8}), UnaryFunction::exp, "exp");
  const ValueId before = b.unary(x, UnaryFunction::tanh, "tanh");
  const ValueId pooled =
      b.pool(b.unary(x, UnaryFunction::relu, "relu", true), PoolKind::max, "pool", {});
  const SwapReluPoolResult result = swap_relu_pool(std::move(b).finish({pooled, before}));
  EXPECT_EQ(result.swapped, 1);
  EXPECT_THAT(verify(result.graph), IsEmpty());
}

}  // namespace
}  // namespace rooflab::graph
