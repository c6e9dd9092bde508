#include "rooflab/graph/graph.hpp"

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::graph {

std::int64_t Graph::batch() const {
  if (samples) return *samples;
  if (inputs.empty() || type(inputs.front()).shape.rank() == 0) return 1;
  return type(inputs.front()).shape[0];
}

std::int64_t Graph::parameter_elements() const {
  std::int64_t total = 0;
  for (const Value& candidate : values) {
    if (candidate.kind == ValueKind::parameter) {
      total = checked_add(total, candidate.type.shape.elements());
    }
  }
  return total;
}

void infer_all_types(Graph& graph) {
  std::vector<TensorType> operands;
  for (const Node& node : graph.nodes) {
    operands.clear();
    for (const ValueId id : node.inputs) operands.push_back(graph.type(id));
    try {
      const std::vector<TensorType> results = infer_types(node.op, operands);
      for (std::size_t i = 0; i < results.size(); ++i) {
        graph.value(node.outputs[i]).type = results[i];
      }
    } catch (const Error& error) {
      throw Error(error.kind(), format("node '{}': {}", node.name, error.what()), error.hint(),
                  error.location());
    }
  }
}

}  // namespace rooflab::graph
