// Forward ops that run again in the backward pass.
//
//   trace   kernels that a forward op launched below a node of the backward pass
//           (trace/step_work.cpp), over the time of all kernels. Worth: the time in which
//           nothing else runs.
//
// Source: torch/utils/checkpoint.py. When it is wrong: without checkpointing the activations may
// not fit; then the time is the price of the memory.

#include "rules.hpp"

namespace rooflab::findings {

void add_recomputation(const TraceFacts& trace, FindingList& found) {
  const double again_ns = trace.work.recomputed_ns;
  if (trace.kernel_share(again_ns) < row_of(FindingKind::recomputation).least) return;
  found.add(FindingKind::recomputation, {trace.kernel_share(again_ns), trace.work.recomputed_op},
            trace.work.alone(trace::LoneKind::recomputed) * seconds_per_ns);
}

}  // namespace rooflab::findings
