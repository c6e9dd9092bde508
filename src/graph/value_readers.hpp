#pragma once

#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// Number of reads of each value, and the first and last node that reads it; the network's caller
/// reads its outputs after all nodes.
struct Readers {
  static constexpr NodeId nobody = -1;

  explicit Readers(const Graph& graph)
      : count(graph.values.size(), 0), first(count.size(), nobody), last(count.size(), nobody) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const ValueId id : graph.nodes[i].inputs) read(id, static_cast<NodeId>(i));
    }
    for (const ValueId id : graph.outputs) read(id, static_cast<NodeId>(graph.nodes.size()));
  }

  std::vector<int> count;
  std::vector<NodeId> first;
  std::vector<NodeId> last;

 private:
  void read(ValueId id, NodeId when) {
    ++count[index_of(id)];
    if (first[index_of(id)] == nobody) first[index_of(id)] = when;
    last[index_of(id)] = when;
  }
};

}  // namespace rooflab::graph
