#pragma once

#include <string>
#include <unordered_map>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::analyze {

/// Classes of a layer table's rows, by their names.
class RowClasses {
 public:
  /// Takes the graph of the rows; nullptr: the rows have no nodes.
  explicit RowClasses(const graph::Graph* network) {
    if (network == nullptr) return;
    for (const graph::Node& node : network->nodes)
      classes_.emplace(node.name, op_class_of(node.op));
  }

  [[nodiscard]] OpClass of(const std::string& row) const {
    const auto found = classes_.find(row);
    return found == classes_.end() ? op_class_of_row(row) : found->second;
  }

 private:
  std::unordered_map<std::string, OpClass> classes_;
};

}  // namespace rooflab::analyze
