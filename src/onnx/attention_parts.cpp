// What tells one call of scaled_dot_product_attention from products that a network makes by hand is
// the scale. ATen's own decomposition and both of PyTorch's exporters multiply q and k^T by the
// root of the scale each, for the range of half precision; code written by hand scales once (q, or
// the scores) or not at all. A hand-written attention runs product by product in eager, so it stays
// as it is.
//
// From the last product backwards, every result read by the next node only:
//
//     product <- [dropout] <- [where(is_nan(s), 0, s)] <- softmax over the last axis
//             <- [+ mask] <- product of (q * c) and (k^T * d)
//
// c and d are constants of one element. k^T is a transpose of k's last two axes. The new exporter
// writes it with the leading dimensions merged: reshape(transpose(reshape(k, [M, S, E]), [0, 2,
// 1]), [..., E, S]). The guard against NaN is the exporters' for rows that a mask hides in full.
// Source: PyTorch 2.11, aten/src/ATen/native/transformers/attention.cpp
// (_scaled_dot_product_attention_math), torch/onnx/symbolic_opset14.py; onnxscript,
// torch_lib/ops/nn.py (aten_scaled_dot_product_attention).

#include "attention_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace rooflab::onnx {
namespace {

using graph::BinaryFunction;
using graph::Node;
using graph::NodeId;
using graph::Shape;
using graph::ValueId;

class AttentionFinder {
 public:
  explicit AttentionFinder(const Pattern& pattern)
      : pattern_(pattern), assembly_(pattern.assembly()) {}

  FoundAttention find(const Node& product) {
    if (!is<graph::MatMul>(&product) || shape(product.inputs[0]).rank() < 3) return {};
    const std::optional<ValueId> scores = scores_below(product.inputs[0]);
    if (!scores) return {};
    AttentionParts parts;
    parts.v = product.inputs[1];
    parts.scores = *scores;
    ValueId unmasked = *scores;
    const Node* above = pattern_.only_maker(unmasked);
    if (is_function(above, BinaryFunction::add)) {
      const std::optional<std::size_t> side = scores_side(*above);
      if (!side) return {};
      unmasked = above->inputs[*side];
      parts.mask = above->inputs[1 - *side];
    }
    const Node* const first = pattern_.only_maker(unmasked);
    if (is<graph::MatMul>(first) && fill(*first, parts)) return {AttentionForm::split, parts};
    return {is_product_of_activations(unmasked) ? AttentionForm::by_hand : AttentionForm::none, {}};
  }

 private:
  [[nodiscard]] const Shape& shape(ValueId id) const { return pattern_.shape(id); }

  /// The operand of the softmax whose result, dropped out and guarded or not, is `weights`.
  [[nodiscard]] std::optional<ValueId> scores_below(ValueId weights) const {
    const Node* node = pattern_.only_maker(weights);
    if (is<graph::Dropout>(node)) {
      weights = node->inputs[0];
      node = pattern_.only_maker(weights);
    }
    if (is<graph::Where>(node)) {
      const Node* const test = pattern_.only_maker(node->inputs[0]);
      const auto* const function =
          is<graph::Unary>(test) ? &std::get<graph::Unary>(test->op) : nullptr;
      weights = node->inputs[2];
      const bool guards = function != nullptr &&
                          function->function == graph::UnaryFunction::is_nan &&
                          test->inputs[0] == weights && pattern_.number(node->inputs[1]) == 0.0;
      if (!guards) return std::nullopt;
      node = pattern_.only_maker(weights, 2);
    }
    if (!is<graph::Softmax>(node)) return std::nullopt;
    const auto& softmax = std::get<graph::Softmax>(node->op);
    const auto last = static_cast<std::int64_t>(shape(weights).rank()) - 1;
    if (softmax.log || (softmax.axis != -1 && softmax.axis != last)) return std::nullopt;
    return node->inputs[0];
  }

  /// Which operand of an addition is the product: the one that the sum has the shape of and that
  /// depends on the input.
  [[nodiscard]] std::optional<std::size_t> scores_side(const Node& sum) const {
    for (const std::size_t side : {0U, 1U}) {
      const ValueId id = sum.inputs[side];
      const bool whole = shape(id) == shape(sum.outputs[0]) && !pattern_.is_constant(id);
      if (whole && is_product_of_activations(id)) return side;
    }
    return std::nullopt;
  }

  /// Whether a value is a product of two activations, then scaled or masked by a Where or not.
  [[nodiscard]] bool is_product_of_activations(ValueId id) const {
    const Node* node = pattern_.only_maker(id);
    if (is<graph::Where>(node)) node = pattern_.only_maker(node->inputs[1]);
    for (const BinaryFunction scales : {BinaryFunction::mul, BinaryFunction::div}) {
      if (is_function(node, scales) && pattern_.number(node->inputs[1])) {
        node = pattern_.only_maker(node->inputs[0]);
      }
    }
    return is<graph::MatMul>(node) && !pattern_.is_constant(node->inputs[0]) &&
           !pattern_.is_constant(node->inputs[1]);
  }

  struct Scaled {
    ValueId x = -1;
    double factor = 1.0;
  };
  [[nodiscard]] std::optional<Scaled> scaled(ValueId id) const {
    const Node* const node = pattern_.only_maker(id);
    if (!is_function(node, BinaryFunction::mul)) return std::nullopt;
    for (const std::size_t side : {1U, 0U}) {
      const std::optional<double> factor = pattern_.number(node->inputs[side]);
      const ValueId x = node->inputs[1 - side];
      if (factor && *factor > 0.0 && shape(x) == shape(id)) return Scaled{x, *factor};
    }
    return std::nullopt;
  }

  /// Finds k behind k^T.
  bool find_key(ValueId transposed, AttentionParts& parts) const {
    const Node* node = pattern_.maker(transposed);
    const Shape& wanted = shape(transposed);
    if (is<graph::Transpose>(node)) {
      std::vector<std::int64_t> order = std::get<graph::Transpose>(node->op).permutation;
      std::swap(order[order.size() - 1], order[order.size() - 2]);
      parts.key_from = node->inputs[0];
      if (!std::ranges::is_sorted(order)) parts.key_op = graph::Transpose{std::move(order)};
      return true;
    }
    if (!is<graph::Reshape>(node)) return false;
    const Node* const inner = pattern_.maker(node->inputs[0]);
    if (!is<graph::Transpose>(inner)) return false;
    const std::vector<std::int64_t> swaps = {0, 2, 1};
    const Shape& merged = shape(inner->inputs[0]);
    const bool same_matrices =
        merged.rank() == 3 && merged[1] == wanted.from_end(1) && merged[2] == wanted.from_end(2);
    if (!same_matrices || std::get<graph::Transpose>(inner->op).permutation != swaps) return false;
    std::vector<std::int64_t> dims = wanted.dims();
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    parts.key_from = inner->inputs[0];
    const Node* const outer = pattern_.maker(parts.key_from);
    if (is<graph::Reshape>(outer) && shape(outer->inputs[0]).dims() == dims) {
      parts.key_from = outer->inputs[0];
    } else {
      parts.key_op = graph::Reshape{std::move(dims)};
    }
    return true;
  }

  bool fill(const Node& first, AttentionParts& parts) const {
    const std::optional<Scaled> query = scaled(first.inputs[0]);
    const std::optional<Scaled> key = scaled(first.inputs[1]);
    if (!query || !key) return false;
    parts.q = query->x;
    parts.key_scaling = assembly_.graph.value(first.inputs[1]).producer;
    const auto batched = [](const Shape& matrices) {
      return std::vector<std::int64_t>(matrices.dims().begin(), matrices.dims().end() - 2);
    };
    const std::vector<std::int64_t> heads = batched(shape(first.outputs[0]));
    for (const ValueId id : {parts.q, key->x, parts.v}) {
      if (shape(id).rank() != heads.size() + 2 || batched(shape(id)) != heads) return false;
      if (assembly_.type(id).dtype != assembly_.type(parts.q).dtype) return false;
    }
    if (!find_key(key->x, parts)) return false;
    const double scale = query->factor * key->factor;
    const double usual = 1.0 / std::sqrt(static_cast<double>(shape(parts.q).from_end(1)));
    const bool is_usual =
        std::fabs(scale - usual) <= rounding_of(assembly_.type(parts.q).dtype) * usual;
    if (!is_usual) parts.scale = scale;
    return true;
  }

  const Pattern& pattern_;
  const Assembly& assembly_;
};

}  // namespace

FoundAttention find_attention(const Pattern& pattern, const graph::Node& product) {
  return AttentionFinder(pattern).find(product);
}

}  // namespace rooflab::onnx
