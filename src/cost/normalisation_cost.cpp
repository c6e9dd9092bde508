// Normalisation and softmax: vector FLOPs per element.
//
// Forward, x' = (x - mean) * r, y = x' * w + b:
//   mean 1 (add); variance 3 (subtract, square, add); x' 2; affine 2 (only with weight and bias).
//   batch norm in training, layer and group norm: 8 (6 without affine). Batch norm in evaluation
//   has its statistics: 4. RMS norm has no mean: square, add, scale 3, weight 1.
//   The few operations per row or channel (division, root) are left out: less than 1 in a hundred.
// Backward, dx = r w (dy - mean(dy) - x' mean(dy x')):
//   x' 2; sum of dy 1; sum of dy x' 2; dx 4 (multiply, two subtractions, scale). Batch norm has
//   its weight's gradients from the same two sums: 9. Layer and group norm scale dy by w first (1)
//   and sum the weight's and bias's gradients over rows (3): 13, without affine 9.
// Source: Ioffe and Szegedy 2015, algorithm 1 and section 3; Ba et al. 2016, equations 3 and 4.
//
// Local response norm over n channels: square 1, n - 1 adds, scale, add, power, divide: n + 4;
// backward twice that (a second window over the products). Source: Krizhevsky et al. 2012, 3.3.
// Softmax: maximum, subtract, exp, sum, divide (its logarithm: subtract again): 5; backward
// dx = y (dy - sum(dy y)): 4, and 4 for the logarithm (sum, exp, multiply, subtract).

#include "rules.hpp"

namespace rooflab::cost {
namespace {

using namespace graph;

Arithmetic arithmetic(const BatchNorm&, const Entry& entry) {
  const bool stored = entry.schedule.phase == Phase::inference;
  return vector_work(entry.output_elements(), !entry.forward() ? 9 : stored ? 4 : 8);
}

Arithmetic layer_norm(const Entry& entry) {
  const bool affine = entry.node.inputs.size() > 1;
  const std::int64_t forward = affine ? 8 : 6;
  const std::int64_t backward = affine ? 13 : 9;
  return vector_work(entry.output_elements(), entry.forward() ? forward : backward);
}

Arithmetic arithmetic(const LayerNorm&, const Entry& entry) { return layer_norm(entry); }

Arithmetic arithmetic(const GroupNorm&, const Entry& entry) { return layer_norm(entry); }

Arithmetic arithmetic(const RmsNorm&, const Entry& entry) {
  const bool affine = entry.node.inputs.size() > 1;
  const std::int64_t forward = affine ? 4 : 3;
  // x' 1, dy w 1, sum of dy x' 2, dx 3, weight's gradient 2.
  const std::int64_t backward = affine ? 9 : 6;
  return vector_work(entry.output_elements(), entry.forward() ? forward : backward);
}

Arithmetic arithmetic(const LocalResponseNorm& op, const Entry& entry) {
  return vector_work(entry.output_elements(), (op.size + 4) * (entry.forward() ? 1 : 2));
}

Arithmetic arithmetic(const Softmax&, const Entry& entry) {
  return vector_work(entry.output_elements(), entry.forward() ? 5 : 4);
}

}  // namespace

Arithmetic normalisation_arithmetic(const Entry& entry) {
  return arithmetic_by_row_or<Family::normalisation>(
      [](const auto& op, const Entry& own) { return arithmetic(op, own); }, entry);
}

}  // namespace rooflab::cost
