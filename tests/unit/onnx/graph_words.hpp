#pragma once

#include <string>
#include <vector>

#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::onnx {

/// The ops of a graph in order: `conv2d relu linear`.
inline std::string ops_of(const graph::Graph& graph) {
  std::vector<std::string> words;
  for (const graph::Node& node : graph.nodes) words.push_back(name_of(node.op));
  return join(words, " ");
}

/// The names of a node's operands, where the file named them.
inline std::string operands_of(const graph::Graph& graph, const graph::Node& node) {
  std::vector<std::string> names;
  for (const graph::ValueId id : node.inputs) names.push_back(graph.value(id).name);
  return join(names, " ");
}

}  // namespace rooflab::onnx
