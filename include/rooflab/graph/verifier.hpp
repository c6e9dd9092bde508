#pragma once

#include <string>
#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// Broken rules of a graph, one sentence each; empty for a sound graph. Run after every import and
/// rewrite and in every test. The rules are the table at the head of verifier.cpp.
[[nodiscard]] std::vector<std::string> verify(const Graph& graph);

/// Throws Error (input) with the first broken rules; `context` says what made the graph.
void require_sound(const Graph& graph, const std::string& context);

}  // namespace rooflab::graph
