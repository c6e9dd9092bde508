// Source: PyTorch 2.11, torch/onnx/symbolic_opset9.py (group_norm); onnxscript,
// torch_lib/ops/core.py (aten_group_norm).

#include "group_norm_join.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "graph_cleanup.hpp"
#include "pattern.hpp"

namespace rooflab::onnx {
namespace {

using graph::BinaryFunction;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

struct FoundGroups {
  graph::GroupNorm op;
  ValueId x = -1;
  std::array<ValueId, 2> affine = {-1, -1};  ///< weight and bias, one element for each channel
  /// Nodes that the norm takes the place of, and that come before it.
  std::array<ValueId, 2> spare = {-1, -1};
};

class GroupNormFinder {
 public:
  GroupNormFinder(const Pattern& pattern, ConstantComputer& constants)
      : pattern_(pattern), constants_(constants) {}

  /// The norm whose last addition `node` is.
  [[nodiscard]] std::optional<FoundGroups> find(const Node& node) const {
    FoundGroups found;
    const Node* above = &node;
    for (const auto& [function, place] :
         {std::pair{BinaryFunction::add, 1}, {BinaryFunction::mul, 0}}) {
      const std::optional<std::size_t> side = channels_side(above, function);
      if (!side) return std::nullopt;
      found.affine.at(static_cast<std::size_t>(place)) = above->inputs[*side];
      above = pattern_.only_maker(above->inputs[1 - *side]);
    }
    if (!is<graph::Reshape>(above)) return std::nullopt;
    const Node* const norm = pattern_.only_maker(above->inputs[0]);
    if (!is<graph::GroupNorm>(norm) || !is_plain(*norm)) return std::nullopt;
    const Node* const split = pattern_.only_maker(norm->inputs[0]);
    if (!is<graph::Reshape>(split)) return std::nullopt;
    found.op = std::get<graph::GroupNorm>(norm->op);
    found.x = split->inputs[0];
    found.spare = {split->outputs[0], norm->outputs[0]};
    const graph::Shape& x = pattern_.shape(found.x);
    const graph::Shape& groups = pattern_.shape(split->outputs[0]);
    const bool fits = x == pattern_.shape(node.outputs[0]) && groups.rank() == 3 &&
                      groups[0] == x[0] && groups[1] == found.op.groups &&
                      x[1] % found.op.groups == 0;
    return fits ? std::optional(found) : std::nullopt;
  }

 private:
  /// The operand that is a constant of [C, 1, ...], where the other has values of [N, C, ...].
  [[nodiscard]] std::optional<std::size_t> channels_side(const Node* node,
                                                         BinaryFunction function) const {
    if (!is_function(node, function)) return std::nullopt;
    const graph::Shape& whole = pattern_.shape(node->outputs[0]);
    for (const std::size_t side : {1U, 0U}) {
      const graph::Shape& shape = pattern_.shape(node->inputs[side]);
      if (!pattern_.is_constant(node->inputs[side]) || shape.rank() + 1 != whole.rank()) continue;
      if (shape.rank() >= 2 && shape[0] == whole[1] && shape.elements() == whole[1]) return side;
    }
    return std::nullopt;
  }

  /// An instance norm whose own weight is 1 and whose bias is 0.
  [[nodiscard]] bool is_plain(const Node& norm) const {
    if (norm.inputs.size() != 3) return false;
    const auto all = [this](ValueId id, double expected) {
      if (!pattern_.is_constant(id)) return false;
      const ConstantTensor* const data = constants_.find(id);
      return data != nullptr && data->floating() &&
             std::ranges::all_of(data->numbers, [=](double x) { return x == expected; });
    };
    return all(norm.inputs[1], 1.0) && all(norm.inputs[2], 0.0);
  }

  const Pattern& pattern_;
  ConstantComputer& constants_;
};

/// The constant as a vector: what it was before it got more axes, else a reshape in the place of a
/// node that is spare.
ValueId as_vector(Assembly& assembly, const Pattern& pattern, ValueId id, ValueId spare) {
  const Node* const view = pattern.maker(id);
  if (is<graph::Reshape>(view) && pattern.shape(view->inputs[0]).rank() == 1) {
    return view->inputs[0];
  }
  const graph::TensorType type{assembly.type(id).dtype, {assembly.type(id).shape.elements()}};
  Node& node = assembly.graph.nodes[graph::index_of(assembly.graph.value(spare).producer)];
  node.op = graph::Reshape{type.shape.dims()};
  node.inputs = {id};
  assembly.graph.value(spare).type = type;
  assembly.facts(spare).constant = true;
  assembly.facts(spare).from_parameter = assembly.facts(id).from_parameter;
  return spare;
}

}  // namespace

void join_group_norms(Assembly& assembly, ConstantComputer& constants) {
  const Pattern pattern(assembly, constants);
  const GroupNormFinder finder(pattern, constants);
  for (Node& node : assembly.graph.nodes) {
    const std::optional<FoundGroups> found = finder.find(node);
    if (!found || !gives(assembly, found->op, {found->x}, node.outputs[0])) continue;
    std::vector<ValueId> inputs = {found->x};
    for (const std::size_t i : {0U, 1U}) {
      inputs.push_back(as_vector(assembly, pattern, found->affine.at(i), found->spare.at(i)));
    }
    node.op = found->op;
    node.inputs = std::move(inputs);
  }
  drop_unused_nodes(assembly);
}

}  // namespace rooflab::onnx
