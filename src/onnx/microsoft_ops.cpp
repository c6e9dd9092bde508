// Fused ops of the domain com.microsoft, as ONNX Runtime's optimiser and its model builder write
// them, taken apart into the graph's ops.
// Source: github.com/microsoft/onnxruntime, docs/ContribOperators.md and, for defaults,
// onnxruntime/core/graph/contrib_ops/bert_defs.cc.

#include "base/format.hpp"
#include "heads.hpp"
#include "op_table.hpp"

namespace rooflab::onnx {
namespace {

using graph::BinaryFunction;
using graph::UnaryFunction;
using graph::ValueId;

/// A factor of 0 means the usual one.
graph::Attention read_attention(NodeImport& node, bool causal) {
  graph::Attention op{causal};
  const double scale = node.attributes.number("scale", 0.0);
  if (scale != 0.0) op.scale = scale;
  return op;
}

void import_fused_matmul(NodeImport& node) {
  const auto factor = [&node](std::size_t i, std::string_view attribute) {
    const ValueId id = node.operand(i);
    const std::size_t rank = node.shape_of(id).rank();
    if (node.attributes.integer(attribute, 0) == 0 || rank < 2) return id;
    std::vector<std::int64_t> permutation;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      permutation.push_back(static_cast<std::int64_t>(axis));
    }
    std::swap(permutation[rank - 1], permutation[rank - 2]);
    return node.transpose(id, std::move(permutation));
  };
  const bool batch_moves = node.attributes.integer("transBatchA", 0) != 0 ||
                           node.attributes.integer("transBatchB", 0) != 0;
  if (batch_moves) node.note_values("does not move its batch dimension");
  const ValueId a = factor(0, "transA");
  const ValueId b = factor(1, "transB");
  ValueId product = node.emit(graph::MatMul{}, {a, b});
  const double alpha = node.attributes.number("alpha", 1.0);
  if (alpha != 1.0) {
    ConstantTensor scale = ConstantTensor::empty({node.type_of(product).dtype, {}});
    scale.push(alpha);
    product =
        node.emit(graph::Binary{BinaryFunction::mul}, {product, node.constant(std::move(scale))});
  }
  node.set_result(0, product);
}

template <UnaryFunction function>
void import_biased(NodeImport& node) {
  ValueId x = node.operand(0);
  if (node.has(1)) x = node.emit(graph::Binary{BinaryFunction::add}, {x, node.operand(1)});
  node.set_result(0, node.emit(graph::Unary{function}, {x}));
}

/// x * sigmoid(alpha * x).
void import_quick_gelu(NodeImport& node) {
  const double alpha = node.attributes.number("alpha", 1.702);
  if (alpha != 1.0) node.note_values(format("with alpha = {} runs as silu", alpha));
  node.set_result(0, node.emit(graph::Unary{UnaryFunction::silu}, {node.operand(0)}));
}

/// Operands: input, skip, gamma, beta, bias; the fourth result is the sum before the norm.
void import_skip_layer_norm(NodeImport& node) {
  const bool simplified = node.op_type() == "SkipSimplifiedLayerNormalization";
  const double epsilon = node.attributes.number("epsilon", 1e-12);
  const graph::Binary add{BinaryFunction::add};
  ValueId x = node.emit(add, {node.operand(0), node.operand(1)});
  const std::size_t bias_at = simplified ? 3 : 4;
  if (node.has(bias_at)) x = node.emit(add, {x, node.operand(bias_at)});
  std::vector<ValueId> inputs = {x, node.operand(2)};
  if (!simplified && node.has(3)) inputs.push_back(node.operand(3));
  node.set_result(0, simplified ? node.emit(graph::RmsNorm{epsilon}, std::move(inputs))
                                : node.emit(graph::LayerNorm{1, epsilon}, std::move(inputs)));
  node.set_result(3, x);
}

/// input [batch, sequence, in], weights [in, 3 * hidden], bias [3 * hidden].
void import_packed_attention(NodeImport& node) {
  if (node.has(3) || node.has(4) || node.attributes.has("qkv_hidden_sizes")) {
    throw NotExpressible{"it has a mask index, a past or unequal hidden sizes"};
  }
  const std::int64_t heads = node.attributes.integer("num_heads", 0);
  std::vector<ValueId> inputs = {node.operand(0), node.operand(1)};
  if (node.has(2)) inputs.push_back(node.operand(2));
  const ValueId packed = node.emit(graph::Linear{true}, std::move(inputs));
  const std::int64_t width = node.shape_of(packed).from_end(1);
  if (node.shape_of(packed).rank() != 3 || width % 3 != 0) node.fail("the weights hold no Q, K, V");
  const std::vector<ValueId> qkv =
      node.emit_all(graph::Split{2, {width / 3, width / 3, width / 3}}, {packed});
  std::vector<ValueId> parts;
  for (const ValueId part : qkv) parts.push_back(split_heads(node, part, heads));
  if (node.has(5)) parts.push_back(node.operand(5));
  const bool causal = node.attributes.integer("unidirectional", 0) != 0;
  if (node.attributes.integer("do_rotary", 0) != 0) node.note_values("runs without its rotation");
  const ValueId mixed = node.emit(read_attention(node, causal), std::move(parts));
  node.set_result(0, merge_heads(node, mixed));
}

/// query, key, value [batch, sequence, heads * extent]; optional bias [3 * hidden], mask, past.
void import_multi_head(NodeImport& node) {
  if (!node.has(1) || !node.has(2) || node.has(4)) {
    throw NotExpressible{"its operands are packed or it has a padding mask"};
  }
  const std::int64_t heads = node.attributes.integer("num_heads", 0);
  std::vector<ValueId> parts;
  std::vector<ValueId> biases(3, -1);
  if (node.has(3)) {
    const std::int64_t width = node.shape(0).from_end(1);
    const std::int64_t value_width = node.shape(3).elements() - 2 * width;
    if (value_width < 0) node.fail("the bias is too short for Q, K and V");
    biases = node.emit_all(graph::Split{0, {width, width, value_width}}, {node.operand(3)});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    ValueId part = node.operand(i);
    if (biases[i] >= 0) part = node.emit(graph::Binary{BinaryFunction::add}, {part, biases[i]});
    part = split_heads(node, part, heads);
    if (i > 0 && node.has(5 + i)) part = after_past(node, node.operand(5 + i), part);
    parts.push_back(part);
  }
  node.set_result(1, parts[1]);
  node.set_result(2, parts[2]);
  if (node.has(5)) parts.push_back(node.operand(5));
  const bool causal = node.attributes.integer("unidirectional", 0) != 0;
  if (causal) note_causal(node, parts[0], parts[1]);
  const ValueId mixed = node.emit(read_attention(node, causal), std::move(parts));
  node.set_result(0, merge_heads(node, mixed));
}

/// query, key, value, past key, past value; without the rotation inside.
void import_group_query(NodeImport& node) {
  if (!node.has(1) || !node.has(2) || node.attributes.integer("do_rotary", 0) != 0) {
    throw NotExpressible{"its operands are packed or it rotates them"};
  }
  const ValueId q = split_heads(node, node.operand(0), node.attributes.integer("num_heads", 0));
  const std::int64_t key_heads = node.attributes.integer("kv_num_heads", 0);
  ValueId k = split_heads(node, node.operand(1), key_heads);
  ValueId v = split_heads(node, node.operand(2), key_heads);
  if (node.has(3)) k = after_past(node, node.operand(3), k);
  if (node.has(4)) v = after_past(node, node.operand(4), v);
  note_causal(node, q, k);
  const bool windowed = node.attributes.integer("local_window_size", -1) > 0;
  const bool altered = node.attributes.number("softcap", 0.0) != 0.0 ||
                       node.attributes.integer("smooth_softmax", 0) != 0 || node.has(10) ||
                       node.has(11);
  if (windowed) node.note_values("runs without its local window");
  if (altered) node.note_values("runs with a plain softmax");
  const ValueId mixed = node.emit(read_attention(node, true), {q, k, v});
  node.set_result(0, merge_heads(node, mixed));
  node.set_result(1, k);
  node.set_result(2, v);
}

}  // namespace

void add_microsoft_rules(RuleTable& table) {
  table["FusedMatMul"] = import_fused_matmul;
  table["Gelu"] = import_biased<UnaryFunction::gelu>;
  table["BiasGelu"] = import_biased<UnaryFunction::gelu>;
  table["FastGelu"] = import_biased<UnaryFunction::gelu_tanh>;
  table["QuickGelu"] = import_quick_gelu;
  table["SkipLayerNormalization"] = import_skip_layer_norm;
  table["SkipSimplifiedLayerNormalization"] = import_skip_layer_norm;
  table["Attention"] = import_packed_attention;
  table["MultiHeadAttention"] = import_multi_head;
  table["GroupQueryAttention"] = import_group_query;
}

}  // namespace rooflab::onnx
