#include "attention_join.hpp"

#include <array>
#include <utility>
#include <vector>

#include "attention_mask.hpp"
#include "attention_parts.hpp"
#include "graph_cleanup.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {
namespace {

using graph::index_of;
using graph::Node;
using graph::ValueId;

/// What hides keys, as the op says it.
struct Hiding {
  bool causal = false;
  ValueId mask = -1;
};

Hiding hiding_of(const Assembly& assembly, ConstantComputer& constants,
                 const AttentionParts& parts) {
  if (parts.mask < 0 || !assembly.facts(parts.mask).constant) return {false, parts.mask};
  const ConstantTensor* const mask = constants.find(parts.mask);
  if (mask == nullptr) return {false, parts.mask};
  switch (kind_of_mask(*mask, assembly.type(parts.scores).shape)) {
    case MaskKind::nothing:
      return {};
    case MaskKind::causal:
      return {true, -1};
    case MaskKind::other:
      break;
  }
  return {false, parts.mask};
}

/// The product becomes the attention; false where its operands do not fit one.
bool join_one(Assembly& assembly, ConstantComputer& constants, Node& product,
              const AttentionParts& parts) {
  graph::Graph& graph = assembly.graph;
  graph::TensorType key_type = assembly.type(parts.key_from);
  if (parts.key_op) key_type = graph::infer_types(*parts.key_op, {&key_type, 1}).front();
  const Hiding hiding = hiding_of(assembly, constants, parts);
  graph::Attention op{hiding.causal, parts.scale};
  const std::array types = {assembly.type(parts.q), key_type, assembly.type(parts.v)};
  try {
    if (graph::infer_types(op, types).front() != assembly.type(product.outputs[0])) return false;
  } catch (const Error&) {
    return false;
  }
  ValueId key = parts.key_from;
  if (parts.key_op) {
    Node& node = graph.nodes[index_of(parts.key_scaling)];
    node.op = *parts.key_op;
    node.inputs = {parts.key_from};
    key = node.outputs.front();
    graph.value(key).type = key_type;
  }
  product.op = op;
  product.inputs = {parts.q, key, parts.v};
  if (hiding.mask >= 0) product.inputs.push_back(hiding.mask);
  return true;
}

}  // namespace

AttentionCount join_attentions(Assembly& assembly, ConstantComputer& constants) {
  AttentionCount count;
  std::vector<std::pair<std::size_t, AttentionParts>> split;
  std::vector<ValueId> masks;
  const Pattern pattern(assembly, constants);
  for (std::size_t n = 0; n < assembly.graph.nodes.size(); ++n) {
    const FoundAttention found = find_attention(pattern, assembly.graph.nodes[n]);
    if (found.form == AttentionForm::by_hand) ++count.by_hand;
    if (found.form != AttentionForm::split) continue;
    split.emplace_back(n, found.parts);
    const ValueId mask = found.parts.mask;
    if (mask >= 0 && assembly.facts(mask).constant) masks.push_back(mask);
  }
  constants.compute(masks);
  for (const auto& [n, parts] : split) {
    const bool joined = join_one(assembly, constants, assembly.graph.nodes[n], parts);
    ++(joined ? count.joined : count.by_hand);
  }
  drop_unused_nodes(assembly);
  return count;
}

}  // namespace rooflab::onnx
