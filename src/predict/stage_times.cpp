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

namespace {

/// The last node that reads each value; -1: nobody.
std::vector<NodeId> last_readers(const Graph& network) {
  std::vector<NodeId> last(network.values.size(), -1);
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    for (const ValueId id : network.nodes[i].inputs) last[index_of(id)] = static_cast<NodeId>(i);
  }
  return last;
}

}  // namespace

Crossings::Crossings(const Graph& network, const Schedule& schedule,
                     const std::vector<NodeId>& borders)
    : pieces_at_(network.nodes.size() + 1), pieces_(borders.size()) {
  for (std::size_t piece = 0; piece + 1 < borders.size(); ++piece) {
    for (NodeId i = borders[piece]; i < borders[piece + 1]; ++i) pieces_at_[index_of(i)] = piece;
  }
  pieces_at_.back() = borders.size() - 1;

  std::unordered_map<std::string_view, std::int64_t> lowered;
  for (const graph::Value& value : schedule.graph.values) lowered[value.name] = value.type.bytes();
  std::vector<bool> is_output(network.values.size(), false);
  for (const ValueId id : network.outputs) is_output[index_of(id)] = true;
  const std::vector<NodeId> last = last_readers(network);
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> crossing_of(network.values.size(), none);
  for (std::size_t i = 0; i < network.values.size(); ++i) {
    const graph::Value& value = network.values[i];
    if (value.kind != graph::ValueKind::result) continue;
    Crossing crossing;
    crossing.made_in = piece_at(value.producer);
    crossing.last_read = last[i] < 0 ? crossing.made_in : piece_at(last[i]);
    crossing.is_output = is_output[i];
    if (crossing.last_read == crossing.made_in && !crossing.is_output) continue;
    const auto found = lowered.find(value.name);
    crossing.bytes = Bytes(found == lowered.end() ? value.type.bytes() : found->second);
    crossing.is_floating = is_floating(value.type.dtype);
    crossing_of[i] = crossings_.size();
    pieces_[crossing.made_in].makes.push_back(crossings_.size());
    if (crossing.last_read > crossing.made_in) {
      pieces_[crossing.last_read].reads_last.push_back(crossings_.size());
    }
    crossings_.push_back(crossing);
  }
  std::vector<std::size_t> read_in(crossings_.size(), none);
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    for (const ValueId id : network.nodes[i].inputs) {
      const std::size_t crossing = crossing_of[index_of(id)];
      const std::size_t piece = pieces_at_[i];
      if (crossing == none || crossings_[crossing].made_in == piece || read_in[crossing] == piece) {
        continue;
      }
      read_in[crossing] = piece;
      pieces_[piece].reads.push_back(crossing);
    }
  }
}

const Crossings::Sweep& Crossings::sweep(NodeId begin) {
  if (last_.begin == begin) return last_;
  const std::size_t count = pieces_.size();
  last_ = {begin, std::vector<int>(count), std::vector<Bytes>(count), std::vector<Bytes>(count)};
  ++sweeps_;
  const std::size_t first = piece_at(begin);
  Bytes received;
  Bytes returned;
  int needed = 0;
  for (std::size_t piece = first; piece + 1 < count; ++piece) {
    for (const std::size_t id : pieces_[piece].reads) {
      Crossing& crossing = crossings_[id];
      if (crossing.made_in >= first || crossing.seen_in == sweeps_) continue;
      crossing.seen_in = sweeps_;
      received += crossing.bytes;
    }
    for (const std::size_t id : pieces_[piece].makes) {
      const Crossing& crossing = crossings_[id];
      ++needed;
      if (crossing.last_read > piece && crossing.is_floating) returned += crossing.bytes;
    }
    // Whose last reader is in the range now is no longer waited for.
    for (const std::size_t id : pieces_[piece].reads_last) {
      const Crossing& crossing = crossings_[id];
      if (crossing.made_in < first) continue;
      if (!crossing.is_output) --needed;
      if (crossing.is_floating) returned -= crossing.bytes;
    }
    last_.needed[piece + 1] = needed;
    last_.received[piece + 1] = received;
    last_.returned[piece + 1] = returned;
  }
  return last_;
}

std::vector<Bytes> bytes_over_borders(const Graph& network) {
  const std::vector<NodeId> last = last_readers(network);
  std::vector<Bytes> bytes(network.nodes.size() + 1);
  for (std::size_t i = 0; i < network.values.size(); ++i) {
    const graph::Value& value = network.values[i];
    if (value.kind != graph::ValueKind::result || last[i] <= value.producer) continue;
    bytes[index_of(value.producer) + 1] += Bytes(value.type.bytes());
    bytes[index_of(last[i]) + 1] -= Bytes(value.type.bytes());
  }
  for (std::size_t i = 1; i < bytes.size(); ++i) bytes[i] += bytes[i - 1];
  return bytes;
}

}  // namespace rooflab::predict
