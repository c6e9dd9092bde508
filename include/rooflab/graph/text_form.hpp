#pragma once

#include <string>
#include <string_view>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// A graph as text, one line a value or node; parse_text(to_text(g)) equals g. The grammar is in
/// docs/formats/graph.md. Used by tests and by the worker protocol.
[[nodiscard]] std::string to_text(const Graph& graph);

/// Throws Error (input) with line and column of the first fault; the result is verified.
[[nodiscard]] Graph parse_text(std::string_view text, const std::string& file_name);

}  // namespace rooflab::graph
