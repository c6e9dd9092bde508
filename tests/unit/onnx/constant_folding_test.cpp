// Shape arithmetic as exporters write it: the constant a chain of nodes comes to is seen in the
// shape that a final Reshape, Expand or ConstantOfShape takes from it.

#include <gtest/gtest.h>

#include "onnx_writer.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;

/// Builds `t` from x [2, 3, 4, 5] with these nodes and initialisers and expands 1 to it.
struct Chain {
  std::string name;
  std::vector<std::string> initializers;
  std::vector<NodeSpec> nodes;
  std::string shape;  ///< the value of `t`
  std::int64_t opset = 17;
};

void PrintTo(const Chain& chain, std::ostream* stream) { *stream << chain.name; }

class Folding : public testing::TestWithParam<Chain> {};

TEST_P(Folding, ComesToTheExpectedShapeAndLeavesOneNode) {
  const Chain& chain = GetParam();
  GraphWriter graph;
  graph.input("x", {2, 3, 4, 5}).input("one", {1});
  for (const std::string& initializer : chain.initializers) graph.initializer(initializer);
  graph.add({"Shape", {"x"}, {"s"}});
  for (const NodeSpec& node : chain.nodes) graph.add(node);
  graph.add({"Expand", {"one", "t"}, {"y"}}).output("y");
  const ImportResult result = read_onnx_bytes(model(graph, chain.opset), "m.onnx");
  EXPECT_EQ(result.graph.type(result.graph.outputs[0]).shape.to_string(), chain.shape);
  EXPECT_EQ(result.graph.nodes.size(), 1U);
  EXPECT_TRUE(result.unknown.empty());
}

NodeSpec concat(const Names& inputs) {
  return {"Concat", inputs, {"t"}, {attribute("axis", std::int64_t{0})}};
}

std::vector<Chain> chains() {
  const std::string first = integers("zero", {0}, true);
  return {
      {"GatherUnsqueezeConcat",
       {first, integers("axes", {0}), integers("rest", {7})},
       {{"Gather", {"s", "zero"}, {"n"}},
        {"Unsqueeze", {"n", "axes"}, {"n1"}},
        concat({"n1", "rest"})},
       "2x7"},
      {"SliceOfShape",
       {integers("b", {-2}), integers("e", {9})},
       {{"Slice", {"s", "b", "e"}, {"t"}}},
       "4x5"},
      {"ShapeWithEnds",
       {},
       {{"Shape",
         {"x"},
         {"t"},
         {attribute("start", std::int64_t{1}), attribute("end", std::int64_t{-1})}}},
       "3x4"},
      {"SizeAndProduct",
       {integers("axes", {0})},
       {{"ReduceProd", {"s"}, {"p"}, {attribute("keepdims", std::int64_t{1})}},
        {"Size", {"x"}, {"z"}},
        {"Unsqueeze", {"z", "axes"}, {"z1"}},
        {"Div", {"z1", "p"}, {"q"}},
        concat({"p", "q"})},
       "120x1"},
      {"Arithmetic",
       {integers("k", {3}), integers("m", {-1})},
       {{"Mul", {"s", "k"}, {"a"}},
        {"Add", {"a", "m"}, {"b"}},
        {"Mod", {"b", "k"}, {"c"}},
        {"Sub", {"b", "c"}, {"d"}},
        {"Div", {"d", "k"}, {"t"}}},
       "1x2x3x4"},
      {"ModTakesTheSignOfTheDivisor",
       {integers("a", {-7}), integers("b", {3})},
       {{"Mod", {"a", "b"}, {"t"}}},
       "2"},
      {"FloatFloor",
       {floats("f", {0.5F})},
       {{"Cast", {"s"}, {"g"}, {attribute("to", std::int64_t{1})}},
        {"Mul", {"g", "f"}, {"h"}},
        {"Floor", {"h"}, {"i"}},
        {"Cast", {"i"}, {"t"}, {attribute("to", std::int64_t{7})}}},
       "1x1x2x2"},
      {"SqrtCeil",
       {integers("n", {10})},
       {{"Cast", {"n"}, {"f"}, {attribute("to", std::int64_t{1})}},
        {"Sqrt", {"f"}, {"q"}},
        {"Ceil", {"q"}, {"c"}},
        {"Cast", {"c"}, {"t"}, {attribute("to", std::int64_t{7})}}},
       "4"},
      // PyTorch's expand(-1, ...): where(target == -1, 1, target).
      {"WhereEqual",
       {integers("g", {-1, 6}), integers("minus", {-1})},
       {{"Shape", {"g"}, {"gs"}},
        {"ConstantOfShape", {"gs"}, {"ones"}, {attribute_message("value", 5, integers("", {1}))}},
        {"Mul", {"ones", "minus"}, {"neg"}},
        {"Equal", {"g", "neg"}, {"c"}},
        {"Where", {"c", "ones", "g"}, {"t"}}},
       "1x6"},
      {"Range",
       {integers("a", {2}, true), integers("b", {9}, true), integers("d", {3}, true)},
       {{"Range", {"a", "b", "d"}, {"t"}}},
       "2x5x8"},
      {"ScatterIntoShape",
       {tensor("i", int64_type, {1, 1}, std::string(8, '\0')), integers("u", {9})},
       {{"ScatterND", {"s", "i", "u"}, {"t"}}},
       "9x3x4x5"},
      {"Transposed",
       {tensor("m", int64_type, {2, 2},
               std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
                           "\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0",
                           32)),
        integers("flat", {-1})},
       {{"Transpose", {"m"}, {"mt"}}, {"Reshape", {"mt", "flat"}, {"t"}}},
       "1x3x2x4"},
      {"SplitAndMinMax",
       {integers("p", {1, 3})},
       {{"Split", {"s", "p"}, {"a", "b"}}, {"Max", {"a", "b"}, {"c"}}, {"Min", {"c", "b"}, {"t"}}},
       "3x4x5"},
      {"CumulativeSum",
       {integers("axis", {0}, true)},
       {{"CumSum", {"s", "axis"}, {"t"}}},
       "2x5x9x14"},
      {"NonZero",
       {integers("flat", {-1}), integers("more", {1})},
       {{"NonZero", {"s"}, {"z"}},
        {"Reshape", {"z", "flat"}, {"f"}},
        {"Add", {"f", "more"}, {"t"}}},
       "1x2x3x4"},
      {"ConstantForms",
       {},
       {{"Constant", {}, {"a"}, {attribute("value_ints", Dims{2, 3})}},
        {"Constant", {}, {"b"}, {attribute("value_int", std::int64_t{2})}},
        {"Constant", {}, {"c"}, {attribute_message("value", 5, integers("", {4}))}},
        {"Mul", {"a", "b"}, {"d"}},
        concat({"d", "c"})},
       "4x6x4"},
      {"TileAndExpand",
       {integers("r", {2}), integers("e", {1})},
       {{"Tile", {"s", "r"}, {"u"}}, {"Expand", {"u", "e"}, {"t"}}},
       "2x3x4x5x2x3x4x5"},
      {"LogicAndCasts",
       {integers("k", {3})},
       {{"Less", {"s", "k"}, {"a"}},
        {"Greater", {"s", "k"}, {"b"}},
        {"Or", {"a", "b"}, {"c"}},
        {"Not", {"c"}, {"d"}},
        {"Cast", {"d"}, {"e"}, {attribute("to", std::int64_t{7})}},
        {"Add", {"e", "s"}, {"t"}}},
       "2x4x4x5"},
  };
}

INSTANTIATE_TEST_SUITE_P(Chains, Folding, testing::ValuesIn(chains()),
                         [](const testing::TestParamInfo<Chain>& row) { return row.param.name; });

TEST(FoldedNodes, DoNotCountAsComputeAndAMaskBecomesAConstant) {
  GraphWriter graph;
  graph.input("x", {1, 4, 4})
      .initializer(truth("mask", true))
      .initializer(floats("low", {-1e9F}, true))
      .initializer(floats("zero", {0.0F}, true))
      .add({"Where", {"mask", "zero", "low"}, {"m"}})
      .add({"Add", {"x", "m"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  ASSERT_EQ(result.graph.nodes.size(), 1U);
  EXPECT_EQ(result.graph.value(result.graph.nodes[0].inputs[1]).kind, graph::ValueKind::constant);
  EXPECT_EQ(result.graph.parameter_elements(), 0);
}

TEST(FoldedNodes, APositionTableLookedUpByConstantsStaysAWholeParameter) {
  GraphWriter graph;
  graph.input("x", {1, 3, 8})
      .initializer(weight("wpe.weight", {64, 8}))
      .initializer(integers("ids", {0, 1, 2}))
      .add({"Gather", {"wpe.weight", "ids"}, {"p"}})
      .add({"Add", {"x", "p"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  EXPECT_EQ(result.graph.parameter_elements(), 64 * 8);
  ASSERT_EQ(result.graph.nodes.size(), 2U);
  EXPECT_EQ(result.graph.nodes[0].name, "wpe");
}

}  // namespace
}  // namespace rooflab::onnx
