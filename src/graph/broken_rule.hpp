#pragma once

#include <string>
#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// A broken rule with its place, so that errors in text can name the line.
struct BrokenRule {
  std::string sentence;
  NodeId node = -1;       ///< -1: the fault does not belong to one node
  ValueId value = -1;     ///< -1: the fault does not belong to one value
  bool is_range = false;  ///< a count exceeds 64 bits
};

/// The broken rules of verify() with their places.
[[nodiscard]] std::vector<BrokenRule> find_broken_rules(const Graph& graph);

}  // namespace rooflab::graph
