// A stage is a range of nodes in the order of execution. What it reads and did not compute is its
// input, what it computed and a later stage reads is its output; running the stages one after
// another, each with the values of the stages before, computes what the network computes.
//
// Parameters and buffers go with their reader. One with readers on both sides of a cut would be two
// copies that have to be kept equal (tied weights; running statistics), so no cut falls there.

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "value_readers.hpp"

namespace rooflab::graph {
namespace {

/// What cannot be on both sides of a cut.
bool is_kept_in_one_stage(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.kind == ValueKind::parameter || value.kind == ValueKind::buffer) return true;
  return value.kind == ValueKind::result && graph.nodes[index_of(value.producer)].training_only;
}

/// The value that a cut before `cut` would tear apart; -1: none.
ValueId torn_value(const Graph& graph, const Readers& readers, NodeId cut) {
  for (ValueId id = 0; id < static_cast<ValueId>(graph.values.size()); ++id) {
    if (!is_kept_in_one_stage(graph, id)) continue;
    const Value& value = graph.value(id);
    const NodeId begin =
        value.kind == ValueKind::result ? value.producer : readers.first[index_of(id)];
    if (begin != Readers::nobody && begin < cut && readers.last[index_of(id)] >= cut &&
        readers.last[index_of(id)] < static_cast<NodeId>(graph.nodes.size())) {
      return id;
    }
  }
  return Readers::nobody;
}

/// Moves what a stage needs of a network into a separate network.
class StageMaker {
 public:
  StageMaker(const Graph& whole, NodeId begin, NodeId end)
      : whole_(whole), readers_(whole), begin_(begin), end_(end) {}

  Graph make() {
    stage_.name = format("{} [{}:{}]", whole_.name, begin_, end_);
    add_inputs();
    for (NodeId i = begin_; i < end_; ++i) add_node(i);
    add_outputs();
    work_on_own_memory();
    require_sound(stage_, format("stage '{}' to '{}' of '{}'", whole_.nodes[index_of(begin_)].name,
                                 whole_.nodes[index_of(end_) - 1].name, whole_.name));
    return std::move(stage_);
  }

 private:
  [[nodiscard]] bool comes_from_before(ValueId id) const {
    const Value& value = whole_.value(id);
    return value.kind == ValueKind::result && value.producer < begin_;
  }

  ValueId add_value(ValueId id) {
    const auto [place, is_new] = ids_.emplace(id, static_cast<ValueId>(stage_.values.size()));
    if (!is_new) return place->second;
    Value value = whole_.value(id);
    if (comes_from_before(id)) {
      value.kind = ValueKind::input;
      value.producer = Readers::nobody;
    } else if (value.kind == ValueKind::result) {
      value.producer -= begin_;
    }
    if (value.kind == ValueKind::input) stage_.inputs.push_back(place->second);
    stage_.values.push_back(std::move(value));
    return place->second;
  }

  /// In this order: the network's, then those of earlier nodes as they were computed.
  void add_inputs() {
    std::vector<ValueId> read;
    std::vector<bool> is_read_here(whole_.values.size(), false);
    for (NodeId i = begin_; i < end_; ++i) {
      for (const ValueId id : whole_.nodes[index_of(i)].inputs) {
        if (comes_from_before(id)) read.push_back(id);
        is_read_here[index_of(id)] = true;
      }
    }
    for (const ValueId id : whole_.inputs) {
      if (readers_.first[index_of(id)] == Readers::nobody ? begin_ == 0
                                                          : is_read_here[index_of(id)])
        (void)add_value(id);
    }
    std::ranges::sort(read, {},
                      [this](ValueId id) { return std::pair(whole_.value(id).producer, id); });
    for (const ValueId id : read) (void)add_value(id);
  }

  void add_node(NodeId id) {
    Node node = whole_.nodes[index_of(id)];
    for (ValueId& operand : node.inputs) operand = add_value(operand);
    for (ValueId& result : node.outputs) result = add_value(result);
    std::vector<ValueId> holds;
    for (const ValueId held : node.holds) {
      // What another stage holds is in that stage's memory.
      if (const auto known = ids_.find(held); known != ids_.end()) holds.push_back(known->second);
    }
    node.holds = std::move(holds);
    stage_.nodes.push_back(std::move(node));
  }

  void add_outputs() {
    std::vector<bool> listed(whole_.values.size(), false);
    for (const ValueId id : whole_.outputs) {
      const NodeId producer = whole_.value(id).producer;
      if (producer < begin_ || producer >= end_) continue;
      stage_.outputs.push_back(ids_.at(id));
      listed[index_of(id)] = true;
    }
    for (NodeId i = begin_; i < end_; ++i) {
      for (const ValueId id : whole_.nodes[index_of(i)].outputs) {
        const bool read_later = readers_.last[index_of(id)] >= end_;
        if (read_later && !listed[index_of(id)]) stage_.outputs.push_back(ids_.at(id));
      }
    }
    if (!stage_.outputs.empty()) return;
    throw Error(
        ErrorKind::input,
        format("nothing that '{}' to '{}' computes is needed outside of it: it is not a stage",
               whole_.nodes[index_of(begin_)].name, whole_.nodes[index_of(end_) - 1].name),
        "cut elsewhere");
  }

  /// Ops in place on what came from outside, or on a view of it, get a separate result.
  void work_on_own_memory() {
    std::vector<bool> foreign(stage_.values.size(), false);
    for (std::size_t i = 0; i < foreign.size(); ++i) {
      foreign[i] = stage_.values[i].kind == ValueKind::input;
    }
    for (Node& node : stage_.nodes) {
      if (node.inputs.empty() || !foreign[index_of(node.inputs.front())]) continue;
      work_out_of_place(node.op);
      if (!may_share_memory(node.op)) continue;
      for (const ValueId id : node.outputs) foreign[index_of(id)] = true;
    }
  }

  const Graph& whole_;
  Readers readers_;
  NodeId begin_;
  NodeId end_;
  Graph stage_;
  std::map<ValueId, ValueId> ids_;  ///< in the stage, by those of the whole
};

}  // namespace

std::vector<NodeId> possible_cuts(const Graph& graph) {
  const Readers readers(graph);
  const auto count = static_cast<NodeId>(graph.nodes.size());
  // A value forbids the cuts between its first place and its last; sums of ends mark the ranges.
  std::vector<int> begins(graph.nodes.size() + 2, 0);
  for (ValueId id = 0; id < static_cast<ValueId>(graph.values.size()); ++id) {
    if (!is_kept_in_one_stage(graph, id)) continue;
    const Value& value = graph.value(id);
    const NodeId first =
        value.kind == ValueKind::result ? value.producer : readers.first[index_of(id)];
    const NodeId last = std::min(readers.last[index_of(id)], count - 1);
    if (first == Readers::nobody || last <= first) continue;
    ++begins[index_of(first) + 1];
    --begins[index_of(last) + 1];
  }
  std::vector<NodeId> cuts;
  int forbidden = 0;
  for (NodeId cut = 1; cut < count; ++cut) {
    forbidden += begins[index_of(cut)];
    if (forbidden == 0) cuts.push_back(cut);
  }
  return cuts;
}

Graph stage_of(const Graph& graph, NodeId begin, NodeId end) {
  const auto count = static_cast<NodeId>(graph.nodes.size());
  if (begin < 0 || end > count || begin >= end) {
    throw Error(ErrorKind::usage,
                format("nodes {} to {} are not a stage of '{}', which has {} nodes", begin, end,
                       graph.name, count));
  }
  const Readers readers(graph);
  for (const NodeId cut : {begin, end}) {
    const ValueId torn =
        cut == 0 || cut == count ? Readers::nobody : torn_value(graph, readers, cut);
    if (torn == Readers::nobody) continue;
    throw Error(ErrorKind::input,
                format("'{}' cannot be cut before '{}': '{}' is {} on both sides", graph.name,
                       graph.nodes[index_of(cut)].name, graph.value(torn).name,
                       graph.value(torn).kind == ValueKind::result ? "in a side path" : "used"),
                "a parameter, a buffer and a side path of training stay in one stage");
  }
  return StageMaker(graph, begin, end).make();
}

void check_cuts(const Graph& graph, std::span<const NodeId> cuts) {
  NodeId before = 0;
  for (const NodeId cut : cuts) {
    if (cut <= before || cut >= static_cast<NodeId>(graph.nodes.size())) {
      throw Error(ErrorKind::usage,
                  format("cuts must rise from 1 to {}: {} does not", graph.nodes.size() - 1, cut));
    }
    before = cut;
  }
}

std::vector<Graph> stages_of(const Graph& graph, std::span<const NodeId> cuts) {
  check_cuts(graph, cuts);
  std::vector<Graph> stages;
  NodeId begin = 0;
  for (const NodeId cut : cuts) {
    stages.push_back(stage_of(graph, begin, cut));
    begin = cut;
  }
  stages.push_back(stage_of(graph, begin, static_cast<NodeId>(graph.nodes.size())));
  return stages;
}

}  // namespace rooflab::graph
