// How much of the kernels' time is on tensor cores.
//
//   trace   kernels of the steps whose names say so (trace/trace_tensor_cores.cpp), over the time
//           of all. It has no worth: a reader must know it.
//
// When it is wrong: names are an estimate; only counters know.

#include "rules.hpp"
#include "trace/trace_tensor_cores.hpp"

namespace rooflab::findings {

void add_tensor_cores_used(const TraceFacts& trace, FindingList& found) {
  double tensor_ns = 0.0;
  for (const trace::StepKernel& kernel : trace.work.kernels) {
    if (trace::uses_tensor_cores(kernel.name, trace::TraceRule::ours)) tensor_ns += kernel.time_ns;
  }
  if (trace.kernel_share(tensor_ns) < row_of(FindingKind::tensor_cores_used).least) return;
  found.add(FindingKind::tensor_cores_used, {trace.kernel_share(tensor_ns)});
}

}  // namespace rooflab::findings
