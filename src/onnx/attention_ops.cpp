// Attention and rotary embedding as single operators (opset 23), written by exporters that keep
// scaled_dot_product_attention whole.
//
// Q, K, V are [batch, heads, sequence, extent] or [batch, sequence, heads * extent]; past keys and
// values are put before the new ones and are results themselves. A rotary embedding turns pairs
// (a, b) of an extent's halves into (a cos - b sin, a sin + b cos).
// Source: ONNX operators Attention-23, RotaryEmbedding-23.

#include "base/format.hpp"
#include "heads.hpp"
#include "op_table.hpp"

namespace rooflab::onnx {

using graph::BinaryFunction;
using graph::Shape;
using graph::ValueId;

ValueId split_heads(NodeImport& node, ValueId x, std::int64_t heads) {
  const Shape shape = node.shape_of(x);
  if (shape.rank() == 4) return x;
  if (shape.rank() != 3 || heads <= 0 || shape[2] % heads != 0) {
    node.fail(format("{} does not divide into {} heads", shape.to_string(), heads));
  }
  x = node.emit(graph::Reshape{{shape[0], shape[1], heads, shape[2] / heads}}, {x});
  return node.emit(graph::Transpose{{0, 2, 1, 3}}, {x});
}

ValueId merge_heads(NodeImport& node, ValueId x) {
  const Shape shape = node.shape_of(x);
  x = node.emit(graph::Transpose{{0, 2, 1, 3}}, {x});
  return node.emit(graph::Reshape{{shape[0], shape[2], shape[1] * shape[3]}}, {x});
}

ValueId after_past(NodeImport& node, ValueId past, ValueId x) {
  if (node.shape_of(past).elements() == 0) return x;
  return node.emit(graph::Concat{2}, {past, x});
}

void note_causal(NodeImport& node, ValueId q, ValueId k) {
  if (node.shape_of(q).from_end(2) == node.shape_of(k).from_end(2)) return;
  node.note_values("that is causal over past keys masks from the first key on");
}

namespace {

void import_attention(NodeImport& node) {
  const bool merged = node.shape(0).rank() == 3;
  const std::int64_t heads = node.attributes.integer("q_num_heads", 0);
  const std::int64_t key_heads = node.attributes.integer("kv_num_heads", heads);
  const ValueId q = split_heads(node, node.operand(0), heads);
  ValueId k = split_heads(node, node.operand(1), key_heads);
  ValueId v = split_heads(node, node.operand(2), key_heads);
  if (node.has(4)) k = after_past(node, node.operand(4), k);
  if (node.has(5)) v = after_past(node, node.operand(5), v);
  std::vector<ValueId> inputs = {q, k, v};
  if (node.has(3)) inputs.push_back(node.operand(3));
  const bool causal = node.attributes.integer("is_causal", 0) != 0;
  graph::Attention op{causal};
  if (node.attributes.has("scale")) op.scale = node.attributes.number("scale", 1.0);
  if (node.attributes.number("softcap", 0.0) != 0.0) node.note_values("runs without its softcap");
  if (node.has(6)) node.note_values("runs without the lengths of its padded keys");
  if (causal) note_causal(node, q, k);
  const ValueId mixed = node.emit(op, std::move(inputs));
  node.set_result(0, merged ? merge_heads(node, mixed) : mixed);
  node.set_result(1, k);
  node.set_result(2, v);
}

/// Rows of a cache [positions, half] for every token, with a dimension for the heads.
ValueId rotary_rows(NodeImport& node, std::size_t cache, std::int64_t batch, std::int64_t tokens) {
  ValueId rows = node.operand(cache);
  if (node.has(3)) rows = node.emit(graph::Gather{0}, {rows, node.operand(3)});
  const std::int64_t half = node.shape_of(rows).from_end(1);
  return node.reshape(rows, {batch, 1, tokens, half});
}

void import_rotary(NodeImport& node) {
  const Shape shape = node.shape(0);
  const bool merged = shape.rank() == 3;
  const ValueId x = split_heads(node, node.operand(0), node.attributes.integer("num_heads", 0));
  const Shape whole = node.shape_of(x);
  if (whole.rank() != 4) node.fail("a rotary embedding takes rank 3 or 4");
  if (node.attributes.integer("interleaved", 0) != 0) {
    node.note_values("of interleaved pairs turns halves");
  }
  const std::int64_t half = node.shape(1).from_end(1);
  if (whole[3] < 2 * half) node.fail("the rotary cache is wider than the head");
  const ValueId cosine = rotary_rows(node, 1, whole[0], whole[2]);
  const ValueId sine = rotary_rows(node, 2, whole[0], whole[2]);
  std::vector<std::int64_t> sizes = {half, half};
  if (whole[3] > 2 * half) sizes.push_back(whole[3] - 2 * half);
  const std::vector<ValueId> parts = node.emit_all(graph::Split{3, sizes}, {x});
  const auto binary = [&node](BinaryFunction function, ValueId a, ValueId b) {
    return node.emit(graph::Binary{function}, {a, b});
  };
  using enum BinaryFunction;
  std::vector<ValueId> turned;
  turned.push_back(binary(sub, binary(mul, parts[0], cosine), binary(mul, parts[1], sine)));
  turned.push_back(binary(add, binary(mul, parts[0], sine), binary(mul, parts[1], cosine)));
  if (parts.size() > 2) turned.push_back(parts[2]);
  const ValueId result = node.emit(graph::Concat{3}, std::move(turned));
  node.set_result(0, merged ? merge_heads(node, result) : result);
}

}  // namespace

void add_attention_rules(RuleTable& table) {
  table["Attention"] = import_attention;
  table["RotaryEmbedding"] = import_rotary;
}

}  // namespace rooflab::onnx
