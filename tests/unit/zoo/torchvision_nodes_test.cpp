// The zoo against lists that torchvision itself gave (tools/dump_torchvision_nodes.py): parameters
// by name and shape, and every op in order of execution with its output shape and in-place flag.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {
namespace {

struct Expected {
  std::string variant;
  std::set<std::string> parameters;  ///< `name shape`
  std::vector<std::string> nodes;    ///< `name shape`, ` inplace` where it is
};

std::map<std::string, Expected> read_expected() {
  const std::string text = read_file(ROOFLAB_SOURCE_DIR "/tests/data/zoo/torchvision_nodes.csv");
  std::map<std::string, Expected> expected;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 6 || cells[0] == "model") continue;
    Expected& entry = expected[cells[0]];
    entry.variant = cells[1];
    const std::string row = cells[3] + " " + cells[4];
    if (cells[2] == "parameter") {
      entry.parameters.insert(row);
    } else {
      entry.nodes.push_back(row + (cells[5] == "1" ? " inplace" : ""));
    }
  }
  return expected;
}

bool is_inplace(const graph::Op& op) {
  if (const auto* unary = std::get_if<graph::Unary>(&op)) return unary->inplace;
  if (const auto* binary = std::get_if<graph::Binary>(&op)) return binary->inplace;
  if (const auto* dropout = std::get_if<graph::Dropout>(&op)) return dropout->inplace;
  return false;
}

/// The list says what torchvision's modules say: attention is one module there, and an index
/// (`x[:, 0]`) is left out.
std::vector<std::string> listed_nodes(const graph::Graph& graph) {
  constexpr std::string_view attention = ".self_attention";
  std::vector<std::string> rows;
  bool in_attention = false;
  for (const graph::Node& node : graph.nodes) {
    if (node.name == "select" || node.name == "squeeze") continue;
    std::string row = node.name;
    const std::size_t at = row.find(attention);
    const bool inside = at != std::string::npos;
    if (inside) row.resize(at + attention.size());
    std::string separator = " ";
    for (const graph::ValueId output : node.outputs) {
      row += separator + graph.type(output).shape.to_string();
      separator = "+";
    }
    if (is_inplace(node.op)) row += " inplace";
    if (inside && in_attention) rows.pop_back();
    in_attention = inside;
    rows.push_back(std::move(row));
  }
  return rows;
}

class TorchvisionNodes : public testing::TestWithParam<std::string> {};

TEST_P(TorchvisionNodes, AreTheSame) {
  static const std::map<std::string, Expected> all = read_expected();
  ASSERT_TRUE(all.contains(GetParam()));
  const Expected& expected = all.at(GetParam());
  const graph::Graph graph = build(GetParam(), {.batch = 2, .variant = expected.variant});

  std::set<std::string> parameters;
  for (const graph::Value& value : graph.values) {
    if (value.kind != graph::ValueKind::parameter) continue;
    parameters.insert(value.name + " " + value.type.shape.to_string());
  }
  EXPECT_EQ(parameters, expected.parameters);
  EXPECT_EQ(listed_nodes(graph), expected.nodes);
}

INSTANTIATE_TEST_SUITE_P(Zoo, TorchvisionNodes,
                         testing::Values("alexnet", "convnext_tiny", "densenet121",
                                         "efficientnet_b0", "googlenet", "inception_v3",
                                         "mnasnet0_5", "mobilenet_v2", "mobilenet_v3_small",
                                         "regnet_y_400mf", "resnet18", "resnext50_32x4d",
                                         "shufflenet_v2_x0_5", "squeezenet1_1", "vgg11_bn",
                                         "vit_b_32"),
                         [](const auto& entry) { return entry.param; });

}  // namespace
}  // namespace rooflab::zoo
