// Nodes are ops, and of the annotations those that the plugin puts in its tree too: steps, data
// loaders, `Optimizer.step...`, collectives. On a thread, by start and the longer one first, a node
// is a child of the last one that has not ended. A range that ends after that one overlaps without
// nesting, which ranges of a thread should not: the plugin drops it, ours makes it a child of the
// closest one that holds it whole.
//
// An op whose only child has the same name is merged with it (a wrapper that records itself twice):
// its children become the op's, and what the child launched becomes the op's. What the op had
// launched itself is then lost by the plugin, kept by ours.
//
// A call of the runtime belongs to the op with its External id, the first of that number.
//
// Source: torch_tb_profiler, profiler/op_tree.py and event_parser.py (NodeParserMixin). Not done as
// there: modules (python_function events), which it also nests, and whose backward ops it moves
// below them; they change no operator's figures but the self time of ops that call modules.

#include "trace_operator_tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rooflab::trace {

using record::RangeKind;

OperatorTree::OperatorTree(const Timeline& timeline, TraceRule rule)
    : timeline_(&timeline), rule_(rule) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  for (const std::uint32_t i : timeline.by_start) {
    const RangeTraits& traits = timeline.traits_at(i);
    const bool annotated =
        ranges.kind[i] == RangeKind::annotation &&
        (traits.step || traits.data_loader || traits.optimizer_step || traits.collective);
    if (ranges.kind[i] == RangeKind::op || annotated) range_.push_back(i);
  }
  // What begins and ends together stays in the order of the file.
  std::ranges::sort(range_, {}, [&](std::uint32_t i) {
    return std::tuple(ranges.thread[i], ranges.start_ns[i], -ranges.duration_ns[i], i);
  });
  for (Node node = 0; node < size(); ++node) {
    if (ranges.external_id[range_[node]] != 0) numbered_.push_back(node);
  }
  std::ranges::sort(numbered_, {},
                    [&](Node node) { return std::pair(ranges.external_id[range_[node]], node); });
  nest();
  merge_repeated();
}

void OperatorTree::nest() {
  const record::RangeTable& ranges = timeline_->trace->ranges;
  parent_.assign(size(), none);
  keeper_.assign(size(), none);
  alive_.assign(size(), true);
  std::vector<Node> open;
  for (Node node = 0; node < size(); ++node) {
    if (node > 0 && ranges.thread[range_[node]] != ranges.thread[range_[node - 1]]) open.clear();
    const TimeInterval own = interval(node);
    while (!open.empty() && own.start_ns >= interval(open.back()).end_ns) open.pop_back();
    if (!open.empty() && own.end_ns > interval(open.back()).end_ns) {
      if (rule_ == TraceRule::plugin) {
        alive_[node] = false;
        continue;
      }
      while (!open.empty() && own.end_ns > interval(open.back()).end_ns) open.pop_back();
    }
    if (!open.empty()) parent_[node] = open.back();
    keeper_[node] = node;
    open.push_back(node);
  }
}

void OperatorTree::merge_repeated() {
  const record::RangeTable& ranges = timeline_->trace->ranges;
  std::vector<Node> children(size());
  std::vector<Node> child(size(), none);  // the last one: the only one of those that have one
  for (Node node = 0; node < size(); ++node) {
    if (!alive_[node] || parent_[node] == none) continue;
    ++children[parent_[node]];
    child[parent_[node]] = node;
  }
  const auto is_op = [&](Node node) { return ranges.kind[range_[node]] == RangeKind::op; };
  for (Node node = 0; node < size(); ++node) {
    if (!alive_[node]) continue;
    // A parent that was merged into its own has passed its place on.
    while (parent_[node] != none && !alive_[parent_[node]]) parent_[node] = parent_[parent_[node]];
    Node holder = node;
    Node next = child[node];
    while (children[node] == 1 && is_op(node) && is_op(next) &&
           ranges.name[range_[node]] == ranges.name[range_[next]] &&
           !timeline_->traits_at(range_[node]).step) {
      alive_[next] = false;
      keeper_[next] = node;
      if (rule_ == TraceRule::plugin) keeper_[holder] = none;
      holder = next;
      children[node] = children[next];
      next = child[next];
    }
  }
}

bool OperatorTree::is_operator(Node node) const {
  return alive_[node] && timeline_->trace->ranges.kind[range_[node]] == RangeKind::op &&
         !timeline_->traits_at(range_[node]).no_operator;
}

OperatorTree::Node OperatorTree::of_external_id(std::int64_t id) const {
  if (id == 0) return none;
  const auto id_of = [&](Node node) { return timeline_->trace->ranges.external_id[range_[node]]; };
  const auto found = std::ranges::lower_bound(numbered_, id, {}, id_of);
  if (found == numbered_.end() || id_of(*found) != id) return none;
  return keeper_[*found];
}

OperatorTree::Node OperatorTree::of_call(std::uint32_t range) const {
  return of_external_id(timeline_->trace->ranges.external_id[range]);
}

OperatorTree::Node OperatorTree::of_work(std::size_t work) const {
  const DeviceWork& event = timeline_->work[work];
  const std::uint32_t call = event.call_by(rule_);
  const Node node = call == DeviceWork::none ? none : of_call(call);
  if (node != none || rule_ == TraceRule::plugin) return node;
  return of_external_id(event.external_id);
}

bool OperatorTree::operator_launched(std::size_t work) const {
  const Node node = of_work(work);
  return node != none && is_operator(node);
}

}  // namespace rooflab::trace
