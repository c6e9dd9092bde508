#include "rooflab/analyze/network_count.hpp"

#include <map>

namespace rooflab::analyze {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;
using graph::ValueKind;

/// A Cast of the precision rewrite is part of its user, not a layer's output.
bool is_layer_output(const Node& node) {
  return !graph::is_view(node.op) && !std::holds_alternative<graph::Cast>(node.op);
}

}  // namespace

NetworkCount count_network(const schedule::Schedule& schedule) {
  const Graph& network = schedule.graph;
  NetworkCount count;
  count.parameters = network.parameter_elements();
  for (const graph::Value& value : network.values) {
    if (value.kind == ValueKind::parameter) count.parameter_bytes += Bytes(value.type.bytes());
    if (value.kind == ValueKind::input) count.input_bytes += Bytes(value.type.bytes());
  }
  std::map<std::string, std::int64_t> uncounted;
  for (const Node& node : network.nodes) {
    if (node.training_only && schedule.phase == Phase::inference) continue;
    ++count.computing_nodes;
    if (std::holds_alternative<graph::Opaque>(node.op)) {
      ++uncounted[graph::name_of(node.op)];
    } else {
      ++count.counted_nodes;
    }
    if (!is_layer_output(node)) continue;
    for (const ValueId id : node.outputs) count.activation_bytes += Bytes(network.type(id).bytes());
  }
  for (const auto& [op, times] : uncounted) count.uncounted.push_back({op, times});
  return count;
}

}  // namespace rooflab::analyze
