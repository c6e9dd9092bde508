#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rooflab/base/described.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::task {

/// A change of a network that keeps its outputs.
struct Rewrite {
  std::string_view name;  ///< value of `--rewrite`
  std::string_view description;
  /// The changed network; how many places changed.
  graph::Graph (*apply)(const graph::Graph& graph, int& places);
};
[[nodiscard]] std::span<const Field> fields_of(For<Rewrite>);

[[nodiscard]] std::span<const Rewrite> rewrites();

/// Throws Error (usage) for an unknown name.
[[nodiscard]] const Rewrite& find_rewrite(const std::string& name);

}  // namespace rooflab::task
