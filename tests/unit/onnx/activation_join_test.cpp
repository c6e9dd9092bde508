// Activation functions as PyTorch's exporters write them, and forms that look alike.

#include <gtest/gtest.h>

#include "graph_words.hpp"
#include "onnx_writer.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;

/// The ops that these nodes become between x [2, 3] and y; numbers are initialisers by name.
std::string ops_after_import(const std::vector<NodeSpec>& nodes) {
  const std::vector<std::pair<std::string, float>> numbers = {
      {"half", 0.5F},        {"one", 1.0F},
      {"two", 2.0F},         {"three", 3.0F},
      {"sqrt2", 1.4142135F}, {"sqrt_half", 0.70710678F},
      {"cubic", 0.044715F},  {"tanh_scale", 0.79788456F},
      {"wrong_scale", 0.8F}};
  GraphWriter graph;
  graph.input("x", {2, 3}).input("z", {2, 3});
  for (const auto& [name, value] : numbers) graph.initializer(floats(name, {value}, true));
  for (const NodeSpec& node : nodes) graph.add(node);
  graph.output("y");
  return ops_of(read_onnx_bytes(model(graph), "m.onnx").graph);
}

TEST(ActivationJoin, Silu) {
  const NodeSpec sigmoid{"Sigmoid", {"x"}, {"s"}};
  EXPECT_EQ(ops_after_import({sigmoid, {"Mul", {"x", "s"}, {"y"}}}), "silu");
  EXPECT_EQ(ops_after_import({sigmoid, {"Mul", {"s", "x"}, {"y"}}}), "silu");
  // A gate for another value, and one that is read twice.
  EXPECT_EQ(ops_after_import({sigmoid, {"Mul", {"z", "s"}, {"y"}}}), "sigmoid mul");
  EXPECT_EQ(ops_after_import({sigmoid, {"Mul", {"x", "s"}, {"m"}}, {"Add", {"m", "s"}, {"y"}}}),
            "sigmoid mul add");
}

TEST(ActivationJoin, Hardswish) {
  const auto hardswish = [](const std::vector<std::string>& attributes) {
    return ops_after_import(
        {{"HardSigmoid", {"x"}, {"s"}, attributes}, {"Mul", {"x", "s"}, {"y"}}});
  };
  EXPECT_EQ(hardswish({attribute_float("alpha", 0.16666667F), attribute_float("beta", 0.5F)}),
            "hardswish");
  EXPECT_EQ(hardswish({}), "hardsigmoid mul");  // ONNX's own slope is 0.2
}

TEST(ActivationJoin, Mish) {
  EXPECT_EQ(ops_after_import(
                {{"Softplus", {"x"}, {"p"}}, {"Tanh", {"p"}, {"t"}}, {"Mul", {"x", "t"}, {"y"}}}),
            "mish");
  EXPECT_EQ(ops_after_import(
                {{"Softplus", {"z"}, {"p"}}, {"Tanh", {"p"}, {"t"}}, {"Mul", {"x", "t"}, {"y"}}}),
            "softplus tanh mul");
}

std::vector<NodeSpec> gelu(const NodeSpec& scaling) {
  return {scaling,
          {"Erf", {"d"}, {"e"}},
          {"Add", {"e", "one"}, {"a"}},
          {"Mul", {"x", "a"}, {"m"}},
          {"Mul", {"m", "half"}, {"y"}}};
}

TEST(ActivationJoin, Gelu) {
  EXPECT_EQ(ops_after_import(gelu({"Div", {"x", "sqrt2"}, {"d"}})), "gelu");
  EXPECT_EQ(ops_after_import(gelu({"Mul", {"x", "sqrt_half"}, {"d"}})), "gelu");
  EXPECT_EQ(ops_after_import(gelu({"Div", {"x", "two"}, {"d"}})), "div erf add mul mul");
  EXPECT_EQ(ops_after_import(gelu({"Div", {"z", "sqrt2"}, {"d"}})), "div erf add mul mul");
}

TEST(ActivationJoin, GeluByHandHalvesFirstAndStays) {
  EXPECT_EQ(ops_after_import({{"Mul", {"x", "half"}, {"h"}},
                              {"Div", {"x", "sqrt2"}, {"d"}},
                              {"Erf", {"d"}, {"e"}},
                              {"Add", {"e", "one"}, {"a"}},
                              {"Mul", {"h", "a"}, {"y"}}}),
            "mul div erf add mul");
}

std::vector<NodeSpec> gelu_tanh(const std::string& scale, const std::string& power) {
  return {{"Pow", {"x", power}, {"p"}}, {"Mul", {"cubic", "p"}, {"c"}},
          {"Add", {"x", "c"}, {"s"}},   {"Mul", {scale, "s"}, {"t"}},
          {"Tanh", {"t"}, {"e"}},       {"Add", {"e", "one"}, {"a"}},
          {"Mul", {"x", "a"}, {"m"}},   {"Mul", {"half", "m"}, {"y"}}};
}

TEST(ActivationJoin, GeluByTanh) {
  EXPECT_EQ(ops_after_import(gelu_tanh("tanh_scale", "three")), "gelu_tanh");
  EXPECT_EQ(ops_after_import(gelu_tanh("wrong_scale", "three")),
            "pow mul add mul tanh add mul mul");
  EXPECT_EQ(ops_after_import(gelu_tanh("tanh_scale", "two")), "pow mul add mul tanh add mul mul");
}

}  // namespace
}  // namespace rooflab::onnx
