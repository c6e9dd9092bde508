// The expected workspace of an op whose algorithm is uncertain: a library has none, or copies, or
// an FFT of many times the operands. Of a sum of a bytes that are alive and an amount w_k with the
// share p_k, the figure a + w has the mean relative error
//
//     sum_k p_k |(a + w) / (a + w_k) - 1| = sum_k p_k / (a + w_k) |w - w_k|,
//
// which is least at the median of the amounts with the weights p_k / (a + w_k). An amount that is
// large compared with what is alive must be likelier than a small one to be expected: taken in vain
// it multiplies the sum, missed it only divides. The largest of many ops decides on the peak of a
// step, so the plain median of every op gave peaks that were too large.
//
// Source of the weighted median: Boyd and Vandenberghe, "Convex optimization", 2004, section 6.1.2
// (the sum of weighted absolute deviations).

#include "rooflab/predict/workspace.hpp"

#include <algorithm>

namespace rooflab::predict {

double Workspace::expected(double alive) const {
  if (amounts.empty()) return 0.0;
  const auto weight = [alive](const Amount& amount) {
    return amount.share / std::max(alive + amount.bytes, 1.0);
  };
  double all = 0.0;
  for (const Amount& amount : amounts) all += weight(amount);
  double below = 0.0;
  for (const Amount& amount : amounts) {
    below += weight(amount);
    if (below >= 0.5 * all) return amount.bytes;
  }
  return amounts.back().bytes;
}

}  // namespace rooflab::predict
