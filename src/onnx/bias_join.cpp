#include "bias_join.hpp"

#include <optional>
#include <utility>

#include "graph/value_readers.hpp"
#include "graph_cleanup.hpp"

namespace rooflab::onnx {
namespace {

using graph::index_of;
using graph::ValueId;

/// A product and the bias that an Add adds to it.
struct BiasedProduct {
  graph::NodeId linear = -1;
  ValueId bias = -1;
};

std::optional<BiasedProduct> biased_product(const Assembly& assembly, const graph::Readers& readers,
                                            const graph::Node& node) {
  const auto* const add = std::get_if<graph::Binary>(&node.op);
  if (add == nullptr || add->function != graph::BinaryFunction::add) return std::nullopt;
  for (const std::size_t side : {0U, 1U}) {
    const ValueId product = node.inputs[side];
    const ValueId bias = node.inputs[1 - side];
    const graph::NodeId linear = assembly.graph.value(product).producer;
    if (linear < 0 || readers.count[index_of(product)] != 1) continue;
    const graph::Node& maker = assembly.graph.nodes[index_of(linear)];
    if (!std::holds_alternative<graph::Linear>(maker.op) || maker.inputs.size() != 2) continue;
    const graph::TensorType& type = assembly.type(product);
    const graph::TensorType wanted{type.dtype, {type.shape.from_end(1)}};
    if (!assembly.facts(bias).constant || assembly.type(bias) != wanted) continue;
    return BiasedProduct{linear, bias};
  }
  return std::nullopt;
}

}  // namespace

void join_biases(Assembly& assembly) {
  const graph::Readers readers(assembly.graph);
  for (std::size_t n = 0; n < assembly.graph.nodes.size(); ++n) {
    graph::Node& add = assembly.graph.nodes[n];
    const std::optional<BiasedProduct> found = biased_product(assembly, readers, add);
    if (!found) continue;
    const graph::Node& linear = assembly.graph.nodes[index_of(found->linear)];
    add.op = linear.op;
    add.inputs = {linear.inputs[0], linear.inputs[1], found->bias};
    assembly.origins[n] = assembly.origins[index_of(found->linear)];
  }
  drop_unused_nodes(assembly);
}

}  // namespace rooflab::onnx
