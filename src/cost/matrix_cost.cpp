// Convolution, linear, matmul, attention, recurrent layers: multiply-accumulates of the direct
// algorithm.
//
//   convolution   N P Q Cout * (Cin / groups) * Kh Kw        per output element one dot product
//   transposed    N H W Cin * (Cout / groups) * Kh Kw        per input element one scaled kernel
//   linear        rows * in * out
//   matmul        elements of the result * K
//   einsum        product of all distinct extents
//   attention     B H (L S E + L S D): Q K^T and A V
//   recurrent     T N D G H (in + H) a layer, in = D H after the first: W x and W h of all steps
//
// Source: Sze et al., "Efficient Processing of Deep Neural Networks", sections 2.2 and 4.1; for
// attention Vaswani et al. 2017, section 3.2.1. Padding counts as in every published figure: the
// window's products with zeros are done by the direct algorithm.
//
// The data gradient and the weight gradient of convolution, linear, matmul and recurrent layers
// each do the same number of MACs as the forward pass (a product with the same three extents). The
// backward of fused attention makes the scores again: Q K^T (L S E), dP (L S D), dV (L S D), dQ and
// dK (L S E each); source: Dao et al. 2022, "FlashAttention", algorithm 4.
//
// Vector work: a linear layer's bias is added in the product's epilogue, 1 per output element; the
// depthwise convolution's likewise. Attention: softmax over each score 5 (maximum, subtract, exp,
// sum, divide) and 1 for the scale, 1 for a mask; backward 3 to make the probabilities again
// (scale, subtract, exp) and 3 for dS (subtract, multiply, scale).
//
// Recurrent layers, of T steps, N samples, D directions, G gates and H units, per unit and step, as
// the equations of torch.nn.LSTM, GRU and RNN say (PyTorch documentation): sigmoid 4 and tanh 1, in
// gradients 3 each, as in graph/function_facts.hpp.
//
//   LSTM   W x + W h 4; i, f, o 12, g 1; c = f c + i g 3; h = o tanh(c) 2                    22
//   GRU    W x + W h 2; r, z 8; n = tanh(W x + r (W h)) 3; h = (1 - z) n + z h 4             17
//   plain  W x + W h 1; tanh or ReLU 1                                                        2
//   biases, both                                                                           2 G
//
//   LSTM, gradients    dh = dy + dh' 1; do 1; tanh(c) 1; dc += dh o (1 - tanh^2) 5;
//                      di, df, dg, dc' 4; of the sigmoids 9, of the tanh 3                   24
//   GRU                dh 1; dn 2; dz 2; dh z 1; of the tanh 3; dr 1; dr's product 1;
//                      of the sigmoids 6; dh' += 1                                           18
//   plain              dh 1; of the tanh 3, of the ReLU 1                                  4, 2
//   biases             sums over steps and samples, of a GRU's n two different ones: 4, 4, 1
//
// Dropout between layers, 2 for each element of the results of all layers but the last.

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

/// Vector FLOPs of a unit at a step.
struct CellWork {
  std::int64_t forward;
  std::int64_t data_gradient;
  std::int64_t bias_gradient;
};

CellWork work_of(RecurrentCell cell) {
  switch (cell) {
    case RecurrentCell::lstm:
      return {22, 24, 4};
    case RecurrentCell::gru:
      return {17, 18, 4};
    case RecurrentCell::rnn_tanh:
      return {2, 4, 1};
    case RecurrentCell::rnn_relu:
      return {2, 2, 1};
  }
  return {};
}

Arithmetic arithmetic(const Recurrent& op, const Entry& entry) {
  const std::int64_t in = entry.input(0).from_end(1);
  const std::int64_t hidden = entry.input(op.first_weight() + 1)[1];
  const std::int64_t width = checked_multiply(op.directions(), hidden);
  const std::int64_t units = entry.output_elements();  // of one layer, at all steps
  const std::int64_t operands = checked_add(
      in, checked_add(checked_multiply(op.layers - 1, width), checked_multiply(op.layers, hidden)));
  Arithmetic work = matrix_work(checked_multiply(checked_multiply(units, op.gates()), operands));
  const CellWork each = work_of(op.cell);
  const bool weights = entry.op.pass == schedule::Pass::weight_gradient;
  std::int64_t flops = each.data_gradient;
  if (entry.forward()) flops = each.forward + (op.bias ? 2 * op.gates() : 0);
  if (weights) flops = op.bias ? each.bias_gradient : 0;
  flops = checked_multiply(flops, op.layers);
  const bool drops = op.dropout > 0.0 && entry.schedule.phase != Phase::inference && !weights;
  if (drops) flops += 2 * (op.layers - 1);
  work.vector_flops = Flops(checked_multiply(units, flops));
  return work;
}

}  // namespace

Arithmetic matrix_arithmetic(const Entry& entry) {
  return arithmetic_by_row_or<Family::matrix>(
      [](const auto& op, const Entry& own) { return arithmetic(op, own); }, entry);
}

}  // namespace rooflab::cost
