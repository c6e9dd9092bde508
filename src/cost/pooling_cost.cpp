// Pooling, reductions and scans: vector FLOPs.
//
//   max pooling        kernel - 1 comparisons per output; backward one add per output
//   average pooling    kernel - 1 adds and 1 division per output; backward the division once and an
//                      add per window element: kernel + 1 per output
//   adaptive, average  every input element once: adds and divisions together; backward 1 per input
//   adaptive, max      one comparison per input element; backward one add per output
//   mean               every input element once; backward 1 per input element
//   sum, max, product  input minus output elements; L2, log-sum-exp and the like 2 per input
//                      element; backward of sum moves data only, of the others 2 per input element
//   running sum        1 per element, both ways (in its row of facts)
//   top-k              one comparison per input element (a lower bound); backward moves data only
//
// Padding is counted as if it were data. Source: the definitions in PyTorch's documentation.

#include "rules.hpp"

namespace rooflab::cost {
namespace {

using namespace graph;

Arithmetic arithmetic(const Reduce& op, const Entry& entry) {
  const std::int64_t inputs = entry.input_elements();
  using enum ReduceFunction;
  switch (op.function) {
    case mean:
      return vector_work(inputs, 1);
    case sum:
      return entry.forward() ? vector_work(inputs - entry.output_elements(), 1)
                             : vector_work(inputs, 0);
    case maximum:
    case minimum:
    case product:
    case arg_max:
    case arg_min:
      return entry.forward() ? vector_work(inputs - entry.output_elements(), 1)
                             : vector_work(inputs, 2);
    case l1:
    case l2:
    case log_sum_exp:
    case sum_square:
    case log_sum:
      break;
  }
  return vector_work(inputs, 2);
}

Arithmetic arithmetic(const Pool& op, const Entry& entry) {
  const std::int64_t window = checked_product(op.kernel);
  if (op.kind == PoolKind::max) {
    return vector_work(entry.output_elements(), entry.forward() ? window - 1 : 1);
  }
  return vector_work(entry.output_elements(), entry.forward() ? window : window + 1);
}

Arithmetic arithmetic(const AdaptivePool& op, const Entry& entry) {
  const bool to_outputs = op.kind == PoolKind::max && !entry.forward();
  return vector_work(to_outputs ? entry.output_elements() : entry.input_elements(), 1);
}

Arithmetic arithmetic(const TopK&, const Entry& entry) {
  return vector_work(entry.input_elements(), entry.forward() ? 1 : 0);
}

}  // namespace

Arithmetic pooling_arithmetic(const Entry& entry) {
  return arithmetic_by_row_or<Family::pooling, Family::reduction>(
      [](const auto& op, const Entry& own) { return arithmetic(op, own); }, entry);
}

}  // namespace rooflab::cost
