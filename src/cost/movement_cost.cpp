// Ops that move data: no arithmetic, as their rows of facts say, all of their cost is bytes.
//
// Resizing does arithmetic: linear interpolation is 3 per lerp (subtract, multiply, add) and takes
// 2^d - 1 lerps in d dimensions; cubic takes 7 per 4-tap sum and (4^d - 1) / 3 sums; nearest none.
// d counts the dimensions whose extent changes. Backward the same.

#include "rules.hpp"

namespace rooflab::cost {
namespace {

using namespace graph;

Arithmetic arithmetic(const Resize& op, const Entry& entry) {
  std::int64_t lerps = 1;
  std::int64_t taps = 1;
  for (std::size_t i = 0; i < entry.output().rank(); ++i) {
    if (entry.input(0)[i] == entry.output()[i]) continue;
    lerps *= 2;
    taps *= 4;
  }
  switch (op.mode) {
    case ResizeMode::nearest:
      return vector_work(entry.output_elements(), 0);
    case ResizeMode::linear:
      return vector_work(entry.output_elements(), 3 * (lerps - 1));
    case ResizeMode::cubic:
      return vector_work(entry.output_elements(), 7 * (taps - 1) / 3);
  }
  return {};
}

}  // namespace

Arithmetic movement_arithmetic(const Entry& entry) {
  return arithmetic_by_row_or<Family::movement>(
      [](const auto& op, const Entry& own) { return arithmetic(op, own); }, entry);
}

}  // namespace rooflab::cost
