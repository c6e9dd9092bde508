// Whether the operands of an op are what its rules of cost and its kinds of a calibration look at.
// A recording that is sound has no others, but a file may say anything.

#include <algorithm>

#include "lowerer.hpp"

namespace rooflab::recording {
namespace {

using namespace graph;

constexpr std::size_t most_spatial = 3;

bool all_at_least(const std::vector<std::int64_t>& list, std::int64_t least) {
  return std::ranges::all_of(list, [least](std::int64_t each) { return each >= least; });
}

class NodeCheck {
 public:
  NodeCheck(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  bool operator()(const Conv& op) const {
    const std::size_t rank = op.kernel.size();
    const bool lists = op.stride.size() == rank && op.padding_begin.size() == rank &&
                       op.dilation.size() == rank && all_at_least(op.stride, 1) &&
                       all_at_least(op.padding_begin, 0) && all_at_least(op.dilation, 1);
    return lists && rank >= 1 && rank <= most_spatial && op.groups >= 1 &&
           shape(0).rank() == rank + 2 && shape(1).rank() == rank + 2 &&
           result().rank() == rank + 2;
  }
  bool operator()(const Linear&) const {
    return shape(0).rank() >= 1 && shape(1).rank() >= 1 && result().rank() >= 1;
  }
  bool operator()(const MatMul&) const { return shape(0).rank() >= 1 && shape(1).rank() >= 1; }
  bool operator()(const Attention&) const {
    return shape(0).rank() >= 2 && shape(1).rank() >= 2 && shape(2).rank() >= 2;
  }
  bool operator()(const Recurrent& op) const {
    if (shape(0).rank() != 3 || node_.inputs.size() < op.first_weight() + 2) return false;
    return shape(op.first_weight()).rank() == 2 && shape(op.first_weight() + 1).rank() == 2 &&
           result().rank() >= 1;
  }
  bool operator()(const BatchNorm&) const { return shape(0).rank() >= 2; }
  bool operator()(const LayerNorm& op) const {
    return op.normalized_rank >= 1 &&
           op.normalized_rank <= static_cast<std::int64_t>(shape(0).rank());
  }
  bool operator()(const RmsNorm&) const { return shape(0).rank() >= 1; }
  bool operator()(const GroupNorm& op) const {
    return shape(0).rank() >= 2 && op.groups >= 1 &&
           op.groups <= std::max<std::int64_t>(shape(0)[1], 1);
  }
  bool operator()(const Softmax& op) const { return has(op.axis, shape(0)); }
  bool operator()(const Pool& op) const {
    return result().rank() >= 2 && all_at_least(op.kernel, 0) && op.kernel.size() <= most_spatial;
  }
  bool operator()(const AdaptivePool&) const { return result().rank() >= 2; }
  bool operator()(const Gather& op) const { return has(op.axis, shape(0)); }
  bool operator()(const Resize&) const {
    return shape(0).rank() == result().rank() && result().rank() <= most_spatial + 2;
  }
  bool operator()(const GridSample&) const {
    return shape(0).rank() >= 3 && shape(0).rank() <= most_spatial + 2;
  }
  template <class Other>
  bool operator()(const Other&) const {
    return true;
  }

 private:
  [[nodiscard]] const Shape& shape(std::size_t input) const {
    return graph_.type(node_.inputs[input]).shape;
  }
  [[nodiscard]] const Shape& result() const { return graph_.type(node_.outputs[0]).shape; }
  [[nodiscard]] static bool has(std::int64_t axis, const Shape& shape) {
    return axis >= 0 && axis < static_cast<std::int64_t>(shape.rank());
  }

  const Graph& graph_;
  const Node& node_;
};

}  // namespace

bool operands_fit(const Graph& graph, const Node& node) {
  if (node.outputs.empty()) return std::holds_alternative<Opaque>(node.op);
  return std::visit(NodeCheck(graph, node), node.op);
}

}  // namespace rooflab::recording
