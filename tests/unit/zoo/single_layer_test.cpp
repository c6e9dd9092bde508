#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {
namespace {

using graph::Graph;
using graph::Shape;
using testing::HasSubstr;

const graph::Op& op_of(const Graph& graph) { return graph.nodes.back().op; }
Shape output_of(const Graph& graph) { return graph.type(graph.outputs.at(0)).shape; }

std::string layer_error(const std::string& text, const Shape& input) {
  try {
    (void)single_layer(text, input);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

// VGG-16's first layer as torch.nn.Conv2d(3, 64, 3, padding=1): 64 * 27 + 64 parameters.
TEST(SingleLayer, ConvolutionByPositionAndByName) {
  const Graph graph = single_layer("conv2d(3,64,k=3,p=1)", {256, 3, 224, 224});
  EXPECT_EQ(output_of(graph), (Shape{256, 64, 224, 224}));
  EXPECT_EQ(graph.parameter_elements(), 1792);
  EXPECT_EQ(graph.batch(), 256);
  EXPECT_EQ(graph.name, "conv2d(3,64,k=3,p=1)");
  EXPECT_TRUE(graph::verify(graph).empty());
  const Graph named = single_layer(
      "Conv2d( in_channels=3, out_channels=64, kernel_size=(3,3), padding = 1 )", {1, 3, 8, 8});
  EXPECT_EQ(op_of(named), op_of(graph));
  // The third by position is the kernel, the fourth the stride: AlexNet's first.
  const Graph alexnet = single_layer("conv2d(3,64,11,4,2)", {1, 3, 224, 224});
  EXPECT_EQ(output_of(alexnet), (Shape{1, 64, 55, 55}));
}

TEST(SingleLayer, ConvolutionForms) {
  // 1 x 7, padded 0 x 3: Inception's.
  const Graph wide = single_layer("conv2d(8,8,1x7,p=0x3,bias=false)", {1, 8, 17, 17});
  EXPECT_EQ(output_of(wide), (Shape{1, 8, 17, 17}));
  EXPECT_EQ(wide.parameter_elements(), 8 * 8 * 7);
  EXPECT_EQ(single_layer("conv2d(8,8,3,g=8,b=false)", {1, 8, 17, 17}).parameter_elements(), 72);
  EXPECT_EQ(output_of(single_layer("conv2d(1,1,3,d=2,p=same)", {1, 1, 9, 9})), (Shape{1, 1, 9, 9}));
  EXPECT_EQ(output_of(single_layer("conv1d(4,6,3)", {2, 4, 10})), (Shape{2, 6, 8}));
  EXPECT_EQ(output_of(single_layer("conv3d(4,6,3)", {2, 4, 10, 10, 10})), (Shape{2, 6, 8, 8, 8}));
}

TEST(SingleLayer, OtherLayers) {
  EXPECT_EQ(single_layer("linear(25088,4096)", {256, 25088}).parameter_elements(),
            25088 * 4096 + 4096);
  EXPECT_EQ(output_of(single_layer("maxpool2d(2)", {1, 64, 112, 112})), (Shape{1, 64, 56, 56}));
  EXPECT_EQ(output_of(single_layer("maxpool(k=3,s=2,p=1)", {1, 64, 112, 112})),
            (Shape{1, 64, 56, 56}));
  EXPECT_EQ(output_of(single_layer("max_pool2d(3,2)", {1, 64, 55, 55})), (Shape{1, 64, 27, 27}));
  EXPECT_EQ(output_of(single_layer("avgpool2d(3,2,ceil)", {1, 4, 6, 6})), (Shape{1, 4, 3, 3}));
  EXPECT_EQ(output_of(single_layer("adaptive_avgpool2d(7)", {1, 4, 9, 9})), (Shape{1, 4, 7, 7}));
  EXPECT_EQ(single_layer("batchnorm2d(64)", {2, 64, 7, 7}).parameter_elements(), 128);
  EXPECT_EQ(single_layer("layernorm(768)", {2, 197, 768}).parameter_elements(), 1536);
  EXPECT_EQ(single_layer("groupnorm(4,8)", {2, 8, 7, 7}).parameter_elements(), 16);
  EXPECT_EQ(std::get<graph::Softmax>(op_of(single_layer("softmax", {2, 10}))).axis, -1);
  EXPECT_EQ(std::get<graph::Dropout>(op_of(single_layer("dropout(0.1)", {2, 10}))).p, 0.1);
  EXPECT_EQ(std::get<graph::Unary>(op_of(single_layer("gelu(approximate=tanh)", {2, 10}))).function,
            graph::UnaryFunction::gelu_tanh);
  EXPECT_FALSE(std::get<graph::Unary>(op_of(single_layer("relu", {2, 10}))).inplace);
  EXPECT_EQ(op_of(single_layer("ReLU()", {2, 10})), op_of(single_layer("relu", {2, 10})));
}

TEST(SingleLayer, AttentionSplitsHeads) {
  const Graph graph = single_layer("attention(heads=12)", {8, 197, 768});
  EXPECT_EQ(output_of(graph), (Shape{8, 12, 197, 64}));
  EXPECT_EQ(graph.inputs.size(), 3U);
  EXPECT_EQ(output_of(single_layer("attention", {8, 12, 197, 64})), (Shape{8, 12, 197, 64}));
  EXPECT_TRUE(
      std::get<graph::Attention>(op_of(single_layer("attention(causal)", {1, 2, 8, 4}))).causal);
}

// torch.nn.LSTM(300, 512, 2): 4 x 512 x (300 + 3 x 512) weights and 8 x 512 x 2 biases.
TEST(SingleLayer, RecurrentLayers) {
  const Graph lstm = single_layer("LSTM(300, 512, num_layers=2)", {8, 100, 300});
  EXPECT_EQ(lstm.parameter_elements(), 3768320);
  EXPECT_EQ(output_of(lstm), (Shape{8, 100, 512}));
  const Graph gru = single_layer("gru(5,4,bidirectional,bias=false,dropout=0.5)", {8, 7, 5});
  EXPECT_EQ(output_of(gru), (Shape{8, 7, 8}));
  const graph::Recurrent both{.cell = graph::RecurrentCell::gru,
                              .bidirectional = true,
                              .batch_first = true,
                              .bias = false,
                              .dropout = 0.5};
  EXPECT_EQ(op_of(gru), graph::Op(both));
  EXPECT_EQ(std::get<graph::Recurrent>(op_of(single_layer("rnn(5,4,2,relu)", {8, 7, 5}))).cell,
            graph::RecurrentCell::rnn_relu);
  EXPECT_THAT(layer_error("lstm(5,4)", {8, 7, 6}), HasSubstr("input_size is 5, dimension 2 is 6"));
  EXPECT_THAT(layer_error("lstm(5,4)", {8, 5}), HasSubstr("batch x steps x features"));
  EXPECT_THAT(layer_error("lstm(5,4,batch_first=false)", {8, 7, 5}), HasSubstr("batch first"));
  EXPECT_THAT(layer_error("rnn(5,4,nonlinearity=elu)", {8, 7, 5}), HasSubstr("tanh or relu"));
  EXPECT_THAT(layer_error("lstm(5,4,l=2000)", {8, 7, 5}), HasSubstr("at most 1024"));
}

TEST(SingleLayer, ErrorsSayWhatThereIs) {
  const Shape image = {2, 3, 8, 8};
  EXPECT_THAT(layer_error("conv2(3,4,3)", image),
              HasSubstr("unknown layer 'conv2' | did you mean 'conv2d'?"));
  EXPECT_THAT(layer_error("conv2d(3,4)", image), HasSubstr("conv2d needs kernel_size | conv2d("));
  EXPECT_THAT(layer_error("conv2d(3,4,3,q=1)", image), HasSubstr("conv2d has no argument 'q' | "));
  EXPECT_THAT(layer_error("conv2d(3,4,k=3,1)", image), HasSubstr("'1' has no name"));
  EXPECT_THAT(layer_error("conv2d(3,4,3,k=3)", image), HasSubstr("kernel_size is given twice"));
  EXPECT_THAT(layer_error("relu(true,1)", image), HasSubstr("'1' is one too many"));
  EXPECT_THAT(layer_error("conv2d(3,4,k=0)", image), HasSubstr("kernel_size takes whole numbers"));
  EXPECT_THAT(layer_error("conv2d(3,4,k=1x2x3)", image), HasSubstr("kernel_size takes 2 extents"));
  EXPECT_THAT(layer_error("conv2d(3,4,3", image), HasSubstr("no closing parenthesis"));
  EXPECT_THAT(layer_error("conv2d(4,4,3)", image), HasSubstr("in_channels is 4, dimension 1 is 3"));
  EXPECT_THAT(layer_error("conv2d(3,4,3,g=2)", image), HasSubstr("groups takes a divisor"));
  EXPECT_THAT(layer_error("conv2d(3,4,11)", image), HasSubstr("does not fit an input of 2x3x8x8"));
  EXPECT_THAT(layer_error("maxpool2d(2,p=2)", image), HasSubstr("at most half the kernel"));
  EXPECT_THAT(layer_error("linear(9,2)", image), HasSubstr("in_features is 9, dimension 3 is 8"));
  EXPECT_THAT(layer_error("relu(inplace)", image), HasSubstr("cannot work in place"));
  EXPECT_THAT(layer_error("ReLU(inplace=True)", image), HasSubstr("cannot work in place"));
  EXPECT_THAT(layer_error("dropout(1.5)", image), HasSubstr("a probability"));
  EXPECT_THAT(layer_error("attention(heads=5)", {1, 4, 8}), HasSubstr("5 heads do not divide it"));
}

TEST(SingleLayer, Shapes) {
  EXPECT_EQ(shape_from_text("256x3x224x224"), (Shape{256, 3, 224, 224}));
  for (const char* wrong : {"", "3x", "0x3", "-1", "axb", "1x99999999999999999999"}) {
    EXPECT_THROW((void)shape_from_text(wrong), Error) << wrong;
  }
  EXPECT_FALSE(single_layer_forms().empty());
}

}  // namespace
}  // namespace rooflab::zoo
