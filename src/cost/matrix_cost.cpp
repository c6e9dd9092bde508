// Convolution, linear, matmul, attention: multiply-accumulates of the direct algorithm.
//
//   convolution   N P Q Cout * (Cin / groups) * Kh Kw        per output element one dot product
//   transposed    N H W Cin * (Cout / groups) * Kh Kw        per input element one scaled kernel
//   linear        rows * in * out
//   matmul        elements of the result * K
//   einsum        product of all distinct extents
//   attention     B H (L S E + L S D): Q K^T and A V
//
// Source: Sze et al., "Efficient Processing of Deep Neural Networks", sections 2.2 and 4.1; for
// attention Vaswani et al. 2017, section 3.2.1. Padding counts as in every published figure: the
// window's products with zeros are done by the direct algorithm.
//
// The data gradient and the weight gradient of convolution, linear and matmul each do the same
// number of MACs as the forward pass (a product with the same three extents). The backward of fused
// attention makes the scores again: Q K^T (L S E), dP (L S D), dV (L S D), dQ and dK (L S E each);
// source: Dao et al. 2022, "FlashAttention", algorithm 4.
//
// Vector work: a linear layer's bias is added in the product's epilogue, 1 per output element; the
// depthwise convolution's likewise. Attention: softmax over each score 5 (maximum, subtract, exp,
// sum, divide) and 1 for the scale, 1 for a mask; backward 3 to make the probabilities again
// (scale, subtract, exp) and 3 for dS (subtract, multiply, scale).

#include <algorithm>
#include <map>

#include "rooflab/base/text.hpp"
#include "rules.hpp"

namespace rooflab::cost {
namespace {

using namespace graph;

std::int64_t product(const std::vector<std::int64_t>& factors) { return checked_product(factors); }

/// A bias that the entry takes along is added in the product's epilogue.
Arithmetic with_bias(Arithmetic work, const Entry& entry) {
  const bool fused = entry.forward() && entry.op.reads.size() > 2;
  if (fused) work.vector_flops = Flops(entry.output_elements());
  return work;
}

Arithmetic arithmetic(const Conv& op, const Entry& entry) {
  const Shape& weight = entry.input(1);
  // MACs of one output (transposed: input) element: channels of its group times the kernel.
  const std::int64_t per_element = checked_multiply(weight[1], product(op.kernel));
  const std::int64_t elements = op.transposed ? entry.input_elements() : entry.output_elements();
  return with_bias(matrix_work(checked_multiply(elements, per_element)), entry);
}

Arithmetic arithmetic(const Linear&, const Entry& entry) {
  const std::int64_t in = entry.input(0).from_end(1);
  return with_bias(matrix_work(checked_multiply(entry.output_elements(), in)), entry);
}

Arithmetic arithmetic(const MatMul&, const Entry& entry) {
  return matrix_work(checked_multiply(entry.output_elements(), entry.input(0).from_end(1)));
}

Arithmetic arithmetic(const Einsum& op, const Entry& entry) {
  std::map<char, std::int64_t> extents;
  const std::vector<std::string> terms = split(op.equation.substr(0, op.equation.find("->")), ',');
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::string_view letters = trim(terms[t]);
    for (std::size_t i = 0; i < letters.size(); ++i) extents[letters[i]] = entry.input(t)[i];
  }
  std::int64_t macs = 1;
  for (const auto& [letter, extent] : extents) macs = checked_multiply(macs, extent);
  if (terms.size() > 1) return matrix_work(macs);
  // A single operand is moved or summed, not multiplied.
  return vector_work(std::max<std::int64_t>(entry.input_elements() - entry.output_elements(), 0),
                     1);
}

Arithmetic arithmetic(const Attention& op, const Entry& entry) {
  const Shape& q = entry.input(0);
  const Shape& k = entry.input(1);
  const std::int64_t queries = q.from_end(2);
  const std::int64_t keys = k.from_end(2);
  const std::int64_t depth = q.from_end(1);
  const std::int64_t value_depth = entry.input(2).from_end(1);
  const std::int64_t rows = q.elements() / std::max<std::int64_t>(depth, 1);
  const std::int64_t scores = checked_multiply(rows, keys);
  const std::int64_t depths = entry.forward() ? depth + value_depth : 3 * depth + 2 * value_depth;
  Arithmetic work = matrix_work(checked_multiply(scores, depths));
  if (op.causal && queries > 0) {
    // Query i sees keys 0 to i.
    const std::int64_t growing = std::min(queries, keys);
    const std::int64_t seen = checked_add(checked_multiply(growing, growing + 1) / 2,
                                          checked_multiply(queries - growing, keys));
    work.causal_macs = Macs(checked_multiply(checked_multiply(rows / queries, seen), depths));
  }
  const std::int64_t mask = entry.node.inputs.size() > 3 ? 1 : 0;
  work.vector_flops = Flops(checked_multiply(scores, 6 + mask));
  return work;
}

}  // namespace

Arithmetic matrix_arithmetic(const Entry& entry) {
  return arithmetic_by_row_or<Family::matrix>(
      [](const auto& op, const Entry& own) { return arithmetic(op, own); }, entry);
}

}  // namespace rooflab::cost
