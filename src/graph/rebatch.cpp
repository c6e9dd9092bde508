// The new batch is put where batch_tracker.cpp found the old one: into dimension 0 of the inputs
// and into the attributes that name it. All other types follow by inference. Where an operand has
// to be repeated for every sample, which a batch of 1 does not show, an Expand is put in. A
// constant with a row for each sample gets the first sample's row for every sample.

#include <string>
#include <unordered_set>

#include "base/format.hpp"
#include "batch_constants.hpp"
#include "batch_tracker.hpp"
#include "extent_scaler.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

namespace {

/// Puts an Expand before each Concat that needs one; ids of values stay, new ones come last.
void insert_repeats(Graph& graph, const std::vector<BatchRepeat>& repeats, std::int64_t batch) {
  if (repeats.empty()) return;
  std::unordered_set<std::string> names;
  for (const Value& value : graph.values) names.insert(value.name);
  for (const Node& node : graph.nodes) names.insert(node.name);

  std::vector<Node> nodes;
  nodes.reserve(graph.nodes.size() + repeats.size());
  auto repeat = repeats.begin();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    for (; repeat != repeats.end() && repeat->node == static_cast<NodeId>(i); ++repeat) {
      ValueId& operand = node.inputs[repeat->operand];
      std::vector<std::int64_t> target(graph.type(operand).shape.rank(), -1);
      target[repeat->axis] = batch;
      std::string name = node.name + ".expand";
      for (int suffix = 1; !names.insert(name).second; ++suffix) {
        name = format("{}.expand_{}", node.name, suffix);
      }
      const auto result = static_cast<ValueId>(graph.values.size());
      // Its type is inferred with all others.
      graph.values.push_back({name, ValueKind::result, {}, -1});
      nodes.push_back({name, Expand{std::move(target)}, {operand}, {result}, node.training_only});
      operand = result;
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId id : graph.nodes[i].outputs)
      graph.value(id).producer = static_cast<NodeId>(i);
  }
}

}  // namespace

Graph rebatch(const Graph& graph, std::int64_t batch) {
  if (batch < 1) {
    throw Error(ErrorKind::usage, format("the batch size must be 1 or more, not {}", batch));
  }
  const std::int64_t old_batch = graph.batch();
  if (batch == old_batch) return graph;
  for (const ValueId id : graph.inputs) {
    const Shape& shape = graph.type(id).shape;
    if (shape.rank() > 0 && (shape[0] != old_batch || old_batch < 1)) {
      throw Error(ErrorKind::input,
                  format("input '{}' is {}: its dimension 0 is not the batch of {}",
                         graph.value(id).name, shape.to_string(), old_batch));
    }
  }

  const BatchTrack track = track_batch(graph);
  Graph result = graph;
  for (const ValueId id : result.inputs) {
    Shape& shape = result.value(id).type.shape;
    if (shape.rank() > 0) shape[0] = batch;
  }
  for (const BatchConstant& constant : track.constants) {
    Value& value = result.value(constant.value);
    if (value.data) {
      value.data = std::make_shared<const ConstantData>(
          rows_repeated(*value.data, value.type.shape, constant.axis, batch));
    }
    value.type.shape[constant.axis] = batch;
  }
  for (std::size_t i = 0; i < track.of_nodes.size(); ++i) {
    if (!track.of_nodes[i]) continue;
    Op& op = result.nodes[i].op;
    op = with_batch_at(op, track.of_nodes[i]->axis, old_batch, batch);
  }
  insert_repeats(result, track.repeats, batch);
  infer_all_types(result);
  require_sound(result, format("'{}' with a batch of {}", graph.name, batch));
  return result;
}

}  // namespace rooflab::graph
