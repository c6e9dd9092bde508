#pragma once

#include <string>
#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// A broken rule and where it is broken, so that a reader of text can point at the line.
struct Finding {
  std::string sentence;
  NodeId node = -1;    ///< -1 when the fault is not of one node
  ValueId value = -1;  ///< -1 when the fault is not of one value
};

/// What verify() says, with places.
[[nodiscard]] std::vector<Finding> find_broken_rules(const Graph& graph);

}  // namespace rooflab::graph
