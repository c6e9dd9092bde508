// Source: PyTorch 2.11, torch/onnx/symbolic_opset9.py (native_layer_norm).

#include "layer_norm_join.hpp"

#include <optional>
#include <vector>

#include "attributes.hpp"
#include "graph_cleanup.hpp"
#include "pattern.hpp"

namespace rooflab::onnx {
namespace {

using graph::BinaryFunction;
using graph::index_of;
using graph::Node;
using graph::NodeId;
using graph::Shape;
using graph::ValueId;

struct FoundNorm {
  graph::LayerNorm op;
  std::vector<ValueId> inputs;
  ValueId result = -1;  ///< what the last node makes
};

class LayerNormFinder {
 public:
  explicit LayerNormFinder(const Pattern& pattern) : pattern_(pattern) {}

  /// The norm whose division `node` is.
  [[nodiscard]] std::optional<FoundNorm> find(const Node& node) const {
    if (!is_function(&node, BinaryFunction::div)) return std::nullopt;
    const ValueId centred = node.inputs[0];
    const Node* const difference = pattern_.maker(centred);
    if (!is_function(difference, BinaryFunction::sub)) return std::nullopt;
    const ValueId x = difference->inputs[0];
    const std::optional<std::int64_t> rank = mean_rank(difference->inputs[1], x);
    const Node* const root = pattern_.only_maker(node.inputs[1]);
    if (!rank || !is_function(root, graph::UnaryFunction::sqrt)) return std::nullopt;
    const Node* const sum = pattern_.only_maker(root->inputs[0]);
    if (!is_function(sum, BinaryFunction::add)) return std::nullopt;
    for (const std::size_t side : {1U, 0U}) {
      const std::optional<double> epsilon = pattern_.number(sum->inputs[side]);
      if (!epsilon || !is_variance(sum->inputs[1 - side], centred, *rank)) continue;
      FoundNorm found{{*rank, as_written(static_cast<float>(*epsilon))}, {x}, node.outputs[0]};
      add_affine(node, found);
      return found;
    }
    return std::nullopt;
  }

 private:
  /// Over how many last axes a value is the mean of `x`.
  [[nodiscard]] std::optional<std::int64_t> mean_rank(ValueId id, ValueId x) const {
    const Node* const node = pattern_.only_maker(id);
    if (!is<graph::Reduce>(node) || node->inputs[0] != x) return std::nullopt;
    const auto& reduce = std::get<graph::Reduce>(node->op);
    if (reduce.function != graph::ReduceFunction::mean || !reduce.keep_dims) return std::nullopt;
    const std::size_t rank = pattern_.shape(x).rank();
    if (reduce.axes.empty()) return std::nullopt;
    for (std::size_t i = 0; i < reduce.axes.size(); ++i) {
      const std::size_t last = rank - reduce.axes.size() + i;
      if (reduce.axes[i] != static_cast<std::int64_t>(last)) return std::nullopt;
    }
    return static_cast<std::int64_t>(reduce.axes.size());
  }

  [[nodiscard]] bool is_variance(ValueId id, ValueId centred, std::int64_t rank) const {
    const Node* const mean = pattern_.only_maker(id);
    if (!is<graph::Reduce>(mean) || mean_rank(id, mean->inputs[0]) != rank) return false;
    const Node* const square = pattern_.only_maker(mean->inputs[0]);
    return pattern_.operand_beside(square, BinaryFunction::pow, 2.0) == centred;
  }

  [[nodiscard]] bool fits(ValueId id, std::int64_t rank) const {
    const Shape& whole = pattern_.shape(id);
    return pattern_.is_constant(id) && whole.rank() == static_cast<std::size_t>(rank);
  }

  /// Takes in the weight and bias behind the division.
  void add_affine(const Node& division, FoundNorm& found) const {
    const Node* node = &division;
    for (const BinaryFunction function : {BinaryFunction::mul, BinaryFunction::add}) {
      const Node* const next = pattern_.only_reader(*node);
      const auto operand = pattern_.other_operand(next, function, node->outputs[0]);
      if (!operand || !fits(*operand, found.op.normalized_rank)) return;
      const Shape& x = pattern_.shape(found.inputs[0]);
      const Shape& extents = pattern_.shape(*operand);
      for (std::size_t i = 1; i <= extents.rank(); ++i) {
        if (extents.from_end(i) != x.from_end(i)) return;
      }
      found.inputs.push_back(*operand);
      found.result = next->outputs[0];
      node = next;
    }
  }

  const Pattern& pattern_;
};

}  // namespace

void join_layer_norms(Assembly& assembly, ConstantComputer& constants) {
  const Pattern pattern(assembly, constants);
  const LayerNormFinder finder(pattern);
  graph::Graph& graph = assembly.graph;
  for (const Node& node : graph.nodes) {
    std::optional<FoundNorm> found = finder.find(node);
    if (!found || !gives(assembly, found->op, found->inputs, found->result)) continue;
    Node& last = graph.nodes[index_of(graph.value(found->result).producer)];
    last.op = found->op;
    last.inputs = std::move(found->inputs);
  }
  drop_unused_nodes(assembly);
}

}  // namespace rooflab::onnx
