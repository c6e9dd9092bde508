// Convolutions whose bias is zero, by who made the bias.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "graph_words.hpp"
#include "onnx_writer.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;

const std::vector<float> zeros(4, 0.0F);

/// A convolution of 4 channels with a weight and a bias of these names, as PyTorch writes it.
GraphWriter convolution(const std::string& weight_name, const std::string& bias_name,
                        const std::vector<float>& bias) {
  GraphWriter graph;
  graph.input("x", {1, 3, 8, 8})
      .initializer(weight(weight_name, {4, 3, 3, 3}))
      .initializer(floats(bias_name, bias))
      .add({"Conv", {"x", weight_name, bias_name}, {"c"}})
      .add({"Relu", {"c"}, {"y"}})
      .output("y");
  return graph;
}

std::size_t operands_after_import(const GraphWriter& graph) {
  return read_onnx_bytes(pytorch_model(graph), "m.onnx").graph.nodes.at(0).inputs.size();
}

TEST(ZeroBias, OfAFoldedNormGoesWithItsParameters) {
  const GraphWriter graph = convolution("onnx::Conv_193", "onnx::Conv_194", zeros);
  const ImportResult result = read_onnx_bytes(pytorch_model(graph), "m.onnx");
  EXPECT_EQ(result.graph.nodes[0].inputs.size(), 2U);
  EXPECT_EQ(result.graph.parameter_elements(), 4 * 3 * 3 * 3);
}

TEST(ZeroBias, BesideAModulesWeightUnderAMadeUpNameGoes) {
  EXPECT_EQ(operands_after_import(convolution("conv1.weight", "val_3", zeros)), 2U);
  EXPECT_EQ(operands_after_import(convolution("conv1.weight", "getitem_bias", zeros)), 2U);
}

TEST(ZeroBias, OfTheModuleItselfStays) {
  EXPECT_EQ(operands_after_import(convolution("conv1.weight", "conv1.bias", zeros)), 3U);
  EXPECT_EQ(operands_after_import(convolution("weight", "bias", zeros)), 3U);
  // Another module's, which the exporter stored once for both.
  EXPECT_EQ(operands_after_import(convolution("conv2.weight", "conv1.bias", zeros)), 3U);
}

TEST(ZeroBias, OneElementThatIsNotZeroKeepsIt) {
  EXPECT_EQ(operands_after_import(
                convolution("onnx::Conv_193", "onnx::Conv_194", {0.0F, 0.0F, 1e-30F, 0.0F})),
            3U);
}

TEST(ZeroBias, OfOtherProducersStays) {
  const GraphWriter graph = convolution("onnx::Conv_193", "onnx::Conv_194", zeros);
  EXPECT_EQ(read_onnx_bytes(model(graph), "m.onnx").graph.nodes[0].inputs.size(), 3U);
}

// As the new exporter writes a convolution without a bias when it does not optimise.
TEST(ZeroBias, ThatAnExpandMakesGoes) {
  GraphWriter graph;
  graph.input("x", {1, 3, 8, 8})
      .initializer(weight("conv1.weight", {4, 3, 3, 3}))
      .initializer(floats("zero", {0.0F}, true))
      .initializer(integers("one", {1}))
      .add({"Shape",
            {"conv1.weight"},
            {"n"},
            {attribute("start", std::int64_t{0}), attribute("end", std::int64_t{1})}})
      .add({"Expand", {"n", "one"}, {"shape"}})
      .add({"Expand", {"zero", "shape"}, {"bias"}})
      .add({"Conv", {"x", "conv1.weight", "bias"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(pytorch_model(graph), "m.onnx");
  ASSERT_EQ(ops_of(result.graph), "conv2d");
  EXPECT_EQ(result.graph.nodes[0].inputs.size(), 2U);
}

TEST(ZeroBias, ThatAnotherNodeReadsGoesFromTheConvolutionAlone) {
  GraphWriter graph;
  graph.input("x", {1, 3, 4, 4})
      .initializer(weight("onnx::Conv_1", {4, 3, 1, 1}))
      .initializer(weight("onnx::Conv_2", {4, 4, 1, 1}))
      .initializer(floats("onnx::Conv_3", zeros))
      .add({"Conv", {"x", "onnx::Conv_1", "onnx::Conv_3"}, {"c"}})
      .add({"Conv", {"c", "onnx::Conv_2", "onnx::Conv_3"}, {"d"}})
      .add({"Add", {"d", "onnx::Conv_3"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(pytorch_model(graph), "m.onnx");
  ASSERT_EQ(ops_of(result.graph), "conv2d conv2d add");
  EXPECT_EQ(result.graph.nodes[0].inputs.size(), 2U);
  EXPECT_EQ(result.graph.nodes[1].inputs.size(), 2U);
  EXPECT_EQ(operands_of(result.graph, result.graph.nodes[2]), "conv2d_1 onnx::Conv_3");
}

TEST(ZeroBias, InAnotherFileIsReadWhereThatExists) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "zero_bias";
  std::filesystem::create_directories(folder);
  const auto operands = [&folder](const std::string& location) {
    std::string bias;
    protozero::pbf_writer message(bias);
    const Dims dims = {4};
    message.add_packed_int64(1, dims.begin(), dims.end());
    message.add_int32(2, float_type);
    message.add_string(8, "val_3");
    protozero::pbf_writer entry(message, 13);
    entry.add_string(1, "location");
    entry.add_string(2, location);
    entry.commit();
    message.add_int32(14, 1);
    GraphWriter graph;
    graph.input("x", {1, 3, 8, 8})
        .initializer(weight("conv1.weight", {4, 3, 3, 3}))
        .initializer(bias)
        .add({"Conv", {"x", "conv1.weight", "val_3"}, {"y"}})
        .output("y");
    write_file_atomically(folder / "m.onnx", pytorch_model(graph));
    return read_onnx(folder / "m.onnx").graph.nodes.at(0).inputs.size();
  };
  write_file_atomically(folder / "zeros.data", std::string(16, '\0'));
  write_file_atomically(folder / "ones.data", std::string(16, '\1'));
  EXPECT_EQ(operands("zeros.data"), 2U);
  EXPECT_EQ(operands("ones.data"), 3U);
  EXPECT_EQ(operands("missing.data"), 3U);
  EXPECT_EQ(operands("../zeros.data"), 3U);
}

}  // namespace
}  // namespace rooflab::onnx
