#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {
namespace {

using graph::Shape;
using testing::ElementsAre;
using testing::HasSubstr;

std::string chain_error(const std::vector<ChainPiece>& pieces, const Shape& input) {
  try {
    (void)layer_chain(pieces, input);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

// The chain of a study: 64 * 64 * 9 + 64 parameters a convolution, 112 * 112 + 112 a linear layer,
// which works on the last dimension.
TEST(LayerChain, RepeatsItsPieces) {
  const std::vector<ChainPiece> pieces = {{"conv", "conv2d(64,64,k=3,p=1)", 3},
                                          {"fc", "linear(112,112)", 2}};
  const graph::Graph chain = layer_chain(pieces, {16, 64, 112, 112});
  std::vector<std::string> nodes;
  for (const graph::Node& node : chain.nodes) nodes.push_back(node.name);
  EXPECT_THAT(nodes, ElementsAre("conv.0", "conv.1", "conv.2", "fc.0", "fc.1"));
  EXPECT_EQ(chain.name, "conv*3+fc*2");
  EXPECT_EQ(chain.parameter_elements(), 3 * 36928 + 2 * 12656);
  EXPECT_EQ(chain.type(chain.outputs.front()).shape, (Shape{16, 64, 112, 112}));
  EXPECT_EQ(chain.batch(), 16);
  EXPECT_EQ(chain.inputs.size(), 1U);
  EXPECT_EQ(chain.value(chain.nodes[1].inputs[1]).name, "conv.1.weight");
  EXPECT_TRUE(graph::verify(chain).empty());
}

TEST(LayerChain, APieceMayBeLeftOut) {
  const std::vector<ChainPiece> pieces = {{"conv", "conv2d(64,64,k=3,p=1)", 0}, {"act", "relu", 1}};
  EXPECT_EQ(layer_chain(pieces, {2, 64, 8, 8}).nodes.size(), 1U);
  EXPECT_THAT(chain_error({{"act", "relu", 0}}, {1, 2}), HasSubstr("has no layer"));
}

TEST(LayerChain, TakesEveryLayerThereIs) {
  const std::vector<ChainPiece> pieces = {
      {"norm", "layernorm(64)", 2}, {"mix", "attention(heads=4)", 1}, {"act", "gelu", 2}};
  const graph::Graph chain = layer_chain(pieces, {2, 16, 64});
  EXPECT_EQ(chain.inputs.size(), 1U);
  EXPECT_EQ(chain.type(chain.outputs.front()).shape, (Shape{2, 4, 16, 16}));
}

TEST(LayerChain, SaysWhatDoesNotFit) {
  EXPECT_THAT(chain_error({{"conv", "conv2d(64,32,k=3,p=1)", 3}}, {16, 64, 8, 8}),
              testing::AllOf(HasSubstr("piece 'conv', layer 2 of 3"), HasSubstr("in_channels")));
  EXPECT_THAT(chain_error({{"pool", "maxpool2d(2)", 5}}, {1, 1, 8, 8}),
              HasSubstr("piece 'pool', layer 4 of 5"));
  EXPECT_THAT(chain_error({{"a", "relu", 1}, {"a", "tanh", 1}}, {1, 2}), HasSubstr("called 'a'"));
}

TEST(LayerChain, APieceAsText) {
  const ChainPiece piece = chain_piece_from_text(" conv = conv2d(64,64,k=3,p=1) ");
  EXPECT_EQ(piece.name, "conv");
  EXPECT_EQ(piece.layer, "conv2d(64,64,k=3,p=1)");
  EXPECT_EQ(piece.count, 1);
  for (const char* const wrong : {"conv2d(64,64,k=3)", "relu", "=relu", "a.b=relu"}) {
    EXPECT_THROW((void)chain_piece_from_text(wrong), Error) << wrong;
  }
}

}  // namespace
}  // namespace rooflab::zoo
