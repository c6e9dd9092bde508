// Autocast in the graph: which ops take bf16 or fp16, which fp32, and where casts stand.
//
// Lists from PyTorch's documentation, "CUDA Ops that can autocast to float16", "to float32" and
// "that promote to the widest input type" (kernels that take operands of one type only): each op's
// row of facts says which one it is in. The lists are the same for both types: ATen registers one
// set of wrappers for a device, which cast to the type that is set at the time
// (aten/src/ATen/autocast_mode.cpp). Everything else, concatenation and
// sums of two types too, takes the types it gets and promotes inside its own kernel. A parameter is
// cast once (autocast caches casts of leaves); an activation at every use, unless the very same
// value was cast to that type before, in which case a framework casts it again and so do we.

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::graph {
namespace {

std::optional<DType> data_type_of(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return DType::f64;
    case Precision::fp16:
      return DType::f16;
    case Precision::bf16:
      return DType::bf16;
    default:
      return std::nullopt;
  }
}

Graph with_data_type(const Graph& graph, DType dtype) {
  Graph rewritten = graph;
  for (Value& value : rewritten.values) {
    if (value.type.dtype == DType::f32) value.type.dtype = dtype;
  }
  for (Node& node : rewritten.nodes) {
    if (auto* cast = std::get_if<Cast>(&node.op); cast && cast->to == DType::f32) cast->to = dtype;
    if (auto* made = std::get_if<Generate>(&node.op); made && made->dtype == DType::f32) {
      made->dtype = dtype;
    }
  }
  return rewritten;
}

Autocast rule_of(const Op& op) {
  return std::visit(
      []<class Struct>(const Struct& attributes) { return facts<Struct>.autocast.of(attributes); },
      op);
}

/// Rewrites one graph; casts are placed right before their use.
class Autocaster {
 public:
  Autocaster(const Graph& graph, DType low) : source_(graph), low_(low) {
    result_.name = graph.name;
    result_.values = graph.values;
    result_.inputs = graph.inputs;
    result_.outputs = graph.outputs;
  }

  Graph run() && {
    for (const Node& node : source_.nodes) add(node);
    return std::move(result_);
  }

 private:
  void add(Node node) {
    switch (rule_of(node.op)) {
      case Autocast::low:
        cast_operands(node, low_);
        break;
      case Autocast::full:
        cast_operands(node, DType::f32);
        break;
      case Autocast::widest:
        if (reads_f32(node)) cast_operands(node, DType::f32);
        break;
      case Autocast::full_result:
        std::get<Reduce>(node.op).dtype = DType::f32;
        break;
      case Autocast::as_is:
        break;
    }
    const auto id = static_cast<NodeId>(result_.nodes.size());
    std::vector<TensorType> operands;
    for (const ValueId operand : node.inputs) operands.push_back(result_.type(operand));
    const std::vector<TensorType> types = infer_types(node.op, operands);
    for (std::size_t i = 0; i < types.size(); ++i) {
      result_.value(node.outputs[i]).type = types[i];
      result_.value(node.outputs[i]).producer = id;
    }
    result_.nodes.push_back(std::move(node));
  }

  [[nodiscard]] bool reads_f32(const Node& node) const {
    return std::ranges::any_of(node.inputs,
                               [this](ValueId id) { return result_.type(id).dtype == DType::f32; });
  }

  void cast_operands(Node& node, DType dtype) {
    for (ValueId& id : node.inputs) {
      const DType current = result_.type(id).dtype;
      const bool castable = current == DType::f32 || current == low_;
      if (castable && current != dtype) id = cast(id, dtype, node);
    }
  }

  ValueId cast(ValueId id, DType dtype, const Node& user) {
    const bool parameter = result_.value(id).kind == ValueKind::parameter;
    if (parameter) {
      const auto known = cast_parameters_.find(id);
      if (known != cast_parameters_.end()) return known->second;
    }
    const auto node_id = static_cast<NodeId>(result_.nodes.size());
    const int count = ++casts_[user.name];
    std::string name =
        count == 1 ? format("{}.cast", user.name) : format("{}.cast_{}", user.name, count - 1);
    result_.values.push_back({name, ValueKind::result, {dtype, result_.type(id).shape}, node_id});
    const auto cast_id = static_cast<ValueId>(result_.values.size() - 1);
    result_.nodes.push_back({std::move(name), Cast{dtype}, {id}, {cast_id}, user.training_only});
    if (parameter) cast_parameters_[id] = cast_id;
    return cast_id;
  }

  const Graph& source_;
  DType low_;  ///< bf16 or f16
  Graph result_;
  std::map<ValueId, ValueId> cast_parameters_;
  std::map<std::string, int> casts_;
};

}  // namespace

Graph with_precision(const Graph& graph, Precision precision) {
  if (const std::optional<DType> dtype = data_type_of(precision)) {
    return with_data_type(graph, *dtype);
  }
  if (const std::optional<DType> low = autocast_type(precision)) {
    return Autocaster(graph, *low).run();
  }
  return graph;
}

}  // namespace rooflab::graph
