// Gemm, MatMul and Einsum.
//
// A product with a trained matrix on the right is a Linear: its weight gradient then exists, and
// [in, out] and [out, in] storage are one attribute apart. A weight that the file transposes first
// is taken back to its stored order, so that a matrix used twice (a tied embedding) stays one
// parameter. Gemm is alpha * A * B + beta * C; factors other than 1 are separate multiplications.
// Source: ONNX operators Gemm-13, MatMul-13, Einsum-12; NumPy, numpy.einsum.

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "op_table.hpp"

namespace rooflab::onnx {
namespace {

using graph::BinaryFunction;
using graph::Shape;
using graph::ValueId;

/// A trained matrix and how it is stored.
struct Weight {
  ValueId id = -1;
  bool in_by_out = true;
};

bool is_trained_matrix(const NodeImport& node, ValueId id) {
  const Facts& facts = node.facts_of(id);
  if (node.shape_of(id).rank() != 2 || !facts.constant || !facts.from_parameter) return false;
  const graph::Node* producer = node.producer_of(id);
  return producer == nullptr || graph::is_view(producer->op) ||
         std::holds_alternative<graph::Cast>(producer->op);
}

/// The weight behind [in, out] `id`, or behind [out, in] when `transposed`.
Weight find_weight(const NodeImport& node, ValueId id, bool transposed) {
  const graph::Node* producer = node.producer_of(id);
  if (producer != nullptr && std::holds_alternative<graph::Transpose>(producer->op)) {
    const ValueId stored = producer->inputs[0];
    const bool swaps = std::get<graph::Transpose>(producer->op).permutation[0] == 1;
    if (swaps && is_trained_matrix(node, stored)) return {stored, transposed};
  }
  return {id, !transposed};
}

ValueId scaled(NodeImport& node, ValueId x, double factor) {
  if (factor == 1.0) return x;
  ConstantTensor scale = ConstantTensor::empty({node.type_of(x).dtype, {}});
  scale.push(factor);
  return node.emit(graph::Binary{BinaryFunction::mul}, {x, node.constant(std::move(scale))});
}

void import_gemm(NodeImport& node) {
  ValueId a = node.operand(0);
  ValueId b = node.operand(1);
  const bool transposed = node.attributes.integer("transB", 0) != 0;
  const double alpha = node.attributes.number("alpha", 1.0);
  const double beta = node.attributes.number("beta", 1.0);
  const bool has_bias = node.has(2) && beta != 0.0;
  if (node.shape_of(a).rank() != 2 || node.shape_of(b).rank() != 2) {
    node.fail(format("Gemm multiplies matrices, not {} by {}", node.shape_of(a).to_string(),
                     node.shape_of(b).to_string()));
  }
  if (node.attributes.integer("transA", 0) != 0) a = node.transpose(a, {1, 0});
  if (is_trained_matrix(node, b)) {
    const Weight weight = find_weight(node, b, transposed);
    std::vector<ValueId> inputs = {a, weight.id};
    const std::int64_t out = node.shape_of(b)[transposed ? 0 : 1];
    const bool fits = has_bias && alpha == 1.0 && beta == 1.0 && node.shape(2) == Shape{out};
    if (fits) inputs.push_back(node.operand(2));
    const ValueId product = node.emit(graph::Linear{weight.in_by_out}, std::move(inputs));
    if (fits || !has_bias) return node.set_result(0, scaled(node, product, alpha));
    const ValueId bias = scaled(node, node.operand(2), beta);
    return node.set_result(
        0, node.emit(graph::Binary{BinaryFunction::add}, {scaled(node, product, alpha), bias}));
  }
  if (transposed) b = node.transpose(b, {1, 0});
  ValueId product = scaled(node, node.emit(graph::MatMul{}, {a, b}), alpha);
  if (has_bias) {
    const ValueId bias = scaled(node, node.operand(2), beta);
    product = node.emit(graph::Binary{BinaryFunction::add}, {product, bias});
  }
  node.set_result(0, product);
}

void import_matmul(NodeImport& node) {
  const ValueId a = node.operand(0);
  const ValueId b = node.operand(1);
  if (is_trained_matrix(node, b) && node.shape_of(a).rank() >= 1) {
    const Weight weight = find_weight(node, b, false);
    return node.set_result(0, node.emit(graph::Linear{weight.in_by_out}, {a, weight.id}));
  }
  node.set_result(0, node.emit(graph::MatMul{}, {a, b}));
}

// ---- einsum -----------------------------------------------------------------------------------

struct Equation {
  std::vector<std::string> terms;
  std::string result;
};

/// Letters for the dimensions under an ellipsis, counted from the innermost, that the equation does
/// not use itself.
char ellipsis_letter(std::string_view used, std::size_t from_end) {
  std::size_t skipped = 0;
  for (const char letter :
       std::string_view("ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba")) {
    if (used.find(letter) == std::string_view::npos && skipped++ == from_end) return letter;
  }
  throw NotExpressible{"its equation has too many dimensions"};
}

/// Blanks removed, ellipses spelled out, the result written out (NumPy: letters that occur once, in
/// alphabetical order, after the ellipsis).
Equation normalised(const NodeImport& node, std::string_view text) {
  std::string compact;
  std::ranges::copy_if(text, std::back_inserter(compact), [](char c) { return c != ' '; });
  const std::size_t arrow = compact.find("->");
  Equation equation;
  equation.terms = split(compact.substr(0, arrow), ',');
  if (equation.terms.size() != node.operand_count()) {
    node.fail(format("the equation '{}' does not have {} terms", text, node.operand_count()));
  }
  std::string ellipsis;
  for (std::size_t t = 0; t < equation.terms.size(); ++t) {
    const std::string letters = equation.terms[t];
    const std::size_t dots = letters.find("...");
    if (dots == std::string::npos) continue;
    const std::size_t named = letters.size() - 3;
    if (named > node.shape(t).rank())
      node.fail(format("the term '{}' has too many indices", letters));
    const std::size_t hidden = node.shape(t).rank() - named;
    std::string spelled;
    for (std::size_t i = hidden; i-- > 0;) spelled += ellipsis_letter(compact, i);
    if (spelled.size() > ellipsis.size()) ellipsis = spelled;
    equation.terms[t] = letters.substr(0, dots) + spelled + letters.substr(dots + 3);
  }
  if (arrow != std::string::npos) {
    equation.result = compact.substr(arrow + 2);
    const std::size_t dots = equation.result.find("...");
    if (dots != std::string::npos) equation.result.replace(dots, 3, ellipsis);
    return equation;
  }
  std::map<char, int> uses;
  for (const std::string& term : equation.terms) {
    for (const char letter : term) ++uses[letter];
  }
  equation.result = ellipsis;
  for (const auto& [letter, count] : uses) {
    if (count == 1 && ellipsis.find(letter) == std::string::npos) equation.result += letter;
  }
  return equation;
}

/// One operand: sum over the letters that the result lacks, then bring the rest into order.
ValueId einsum_of_one(NodeImport& node, ValueId x, std::string term, const std::string& result) {
  std::vector<std::int64_t> summed;
  std::string kept;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (result.find(term[i]) == std::string::npos) {
      summed.push_back(static_cast<std::int64_t>(i));
    } else {
      kept += term[i];
    }
  }
  if (!summed.empty()) {
    x = node.emit(graph::Reduce{graph::ReduceFunction::sum, std::move(summed), false}, {x});
  }
  std::vector<std::int64_t> permutation;
  for (const char letter : result) {
    const std::size_t place = kept.find(letter);
    if (place == std::string::npos) node.fail(format("einsum index '{}' is in no operand", letter));
    permutation.push_back(static_cast<std::int64_t>(place));
  }
  return node.transpose(x, std::move(permutation));
}

/// What a contraction of two terms must keep: indices that the result or a later term needs.
std::string kept_indices(const Equation& equation, std::size_t next, const std::string& left) {
  std::string needed = equation.result;
  for (std::size_t t = next + 1; t < equation.terms.size(); ++t) needed += equation.terms[t];
  std::string kept;
  for (const char letter : left + equation.terms[next]) {
    const bool wanted = needed.find(letter) != std::string::npos;
    if (wanted && kept.find(letter) == std::string::npos) kept += letter;
  }
  return kept;
}

/// Operands are contracted from left to right, two at a time.
void import_einsum(NodeImport& node) {
  const Equation equation = normalised(node, node.attributes.text("equation", ""));
  for (const std::string& term : equation.terms) {
    for (const char letter : term) {
      if (std::ranges::count(term, letter) > 1) throw NotExpressible{"it takes a diagonal"};
    }
  }
  for (std::size_t t = 0; t < equation.terms.size(); ++t) {
    if (equation.terms[t].size() != node.shape(t).rank()) {
      node.fail(format("the einsum term '{}' does not fit {}", equation.terms[t],
                       node.shape(t).to_string()));
    }
  }
  ValueId x = node.operand(0);
  std::string left = equation.terms[0];
  if (equation.terms.size() == 1) {
    return node.set_result(0, einsum_of_one(node, x, left, equation.result));
  }
  for (std::size_t t = 1; t < equation.terms.size(); ++t) {
    const bool last = t + 1 == equation.terms.size();
    const std::string result = last ? equation.result : kept_indices(equation, t, left);
    x = node.emit(graph::Einsum{format("{},{}->{}", left, equation.terms[t], result)},
                  {x, node.operand(t)});
    left = result;
  }
  node.set_result(0, x);
}

}  // namespace

void add_matrix_rules(RuleTable& table) {
  table["Gemm"] = import_gemm;
  table["MatMul"] = import_matmul;
  table["Einsum"] = import_einsum;
}

}  // namespace rooflab::onnx
