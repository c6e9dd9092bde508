#include "stage_times.hpp"

#include <string_view>
#include <unordered_map>

namespace rooflab::predict {

using graph::Graph;
using graph::index_of;
using graph::NodeId;
using graph::ValueId;
using schedule::Pass;
using schedule::Schedule;

namespace {

/// The network's node of each of the schedule's.
std::vector<NodeId> original_nodes(const Graph& network, const Graph& rewritten) {
  std::unordered_map<std::string_view, NodeId> known;
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    known.emplace(network.nodes[i].name, static_cast<NodeId>(i));
  }
  std::vector<NodeId> result(rewritten.nodes.size());
  auto next = static_cast<NodeId>(network.nodes.size() - 1);
  for (std::size_t i = rewritten.nodes.size(); i-- > 0;) {
    const auto found = known.find(rewritten.nodes[i].name);
    if (found != known.end()) next = found->second;
    result[i] = next;
  }
  return result;
}

}  // namespace

NodeTimes node_times(const Graph& network, const Schedule& schedule,
                     const std::vector<double>& op_times) {
  const std::vector<NodeId> original = original_nodes(network, schedule.graph);
  NodeTimes times;
  times.forward.assign(network.nodes.size() + 1, 0.0);
  times.backward.assign(network.nodes.size() + 1, 0.0);
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    const schedule::ScheduledOp& op = schedule.ops[i];
    if (op.pass == Pass::optimizer) {
      times.optimizer += op_times[i];
    } else if (op.pass == Pass::loss || op.node < 0) {
      times.loss += op_times[i];
    } else {
      std::vector<double>& of_pass = op.pass == Pass::forward ? times.forward : times.backward;
      of_pass[index_of(original[index_of(op.node)]) + 1] += op_times[i];
    }
  }
  for (std::size_t i = 1; i < times.forward.size(); ++i) {
    times.forward[i] += times.forward[i - 1];
    times.backward[i] += times.backward[i - 1];
  }
  return times;
}

Crossings::Crossings(const Graph& network, const Schedule& schedule)
    : network_(network),
      last_reader_(network.values.size(), -1),
      is_output_(network.values.size(), false),
      read_last_(network.nodes.size()) {
  std::unordered_map<std::string_view, std::int64_t> known;
  for (const graph::Value& value : schedule.graph.values) known[value.name] = value.type.bytes();
  for (const graph::Value& value : network.values) {
    const auto found = known.find(value.name);
    bytes_.emplace_back(found == known.end() ? value.type.bytes() : found->second);
  }
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    for (const ValueId id : network.nodes[i].inputs) {
      last_reader_[index_of(id)] = static_cast<NodeId>(i);
    }
  }
  for (const ValueId id : network.outputs) is_output_[index_of(id)] = true;
  for (std::size_t i = 0; i < last_reader_.size(); ++i) {
    if (last_reader_[i] >= 0)
      read_last_[index_of(last_reader_[i])].push_back(static_cast<ValueId>(i));
  }
}

const Crossings::Sweep& Crossings::sweep(NodeId begin) {
  if (last_.begin == begin) return last_;
  const std::size_t count = network_.nodes.size();
  last_ = {begin, std::vector<int>(count + 1), std::vector<Bytes>(count + 1),
           std::vector<Bytes>(count + 1)};
  std::vector<bool> seen(network_.values.size(), false);
  const auto is_from_before = [&](ValueId id) {
    const graph::Value& value = network_.value(id);
    return value.kind == graph::ValueKind::result && value.producer < begin;
  };
  Bytes received;
  Bytes returned;
  int needed = 0;
  for (std::size_t i = index_of(begin); i < count; ++i) {
    for (const ValueId id : network_.nodes[i].inputs) {
      if (!is_from_before(id) || seen[index_of(id)]) continue;
      seen[index_of(id)] = true;
      received += bytes_[index_of(id)];
    }
    for (const ValueId id : network_.nodes[i].outputs) {
      const bool read = last_reader_[index_of(id)] > static_cast<NodeId>(i);
      if (read || is_output_[index_of(id)]) ++needed;
      if (read && is_floating(network_.type(id).dtype)) returned += bytes_[index_of(id)];
    }
    // Whose last reader is in the range now is no longer waited for.
    for (const ValueId id : read_last_[i]) {
      const graph::Value& value = network_.value(id);
      if (value.kind != graph::ValueKind::result || value.producer < begin) continue;
      if (!is_output_[index_of(id)]) --needed;
      if (is_floating(value.type.dtype)) returned -= bytes_[index_of(id)];
    }
    last_.needed[i + 1] = needed;
    last_.received[i + 1] = received;
    last_.returned[i + 1] = returned;
  }
  return last_;
}

}  // namespace rooflab::predict
