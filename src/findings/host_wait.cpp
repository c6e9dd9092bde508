// The device waits for the host.
//
//   trace   waiting = the step less the time in which a kernel, a copy or communication goes on, and
//           less waiting for data (data_loading.cpp): the roles runtime, cpu_op and other of the
//           step's breakdown. Worth: all of it, which a captured graph comes near to.
//
// Source: the breakdown is docs/methods/traces.md's; CUDA C++ Programming Guide, "CUDA Graphs".
// When it is wrong: the profiler itself slows the host, by some microseconds an op, so that a step
// without it waits less; a wait that the program asks for (evaluation, printing) counts too.

#include <cmath>

#include "rules.hpp"

namespace rooflab::findings {

void add_host_wait(const TraceFacts& trace, FindingList& found) {
  using trace::StepRole;
  const double runtime_ns = trace.role_ns(StepRole::runtime);
  const double op_ns = trace.role_ns(StepRole::cpu_op);
  const double other_ns = trace.role_ns(StepRole::other);
  const double waiting_ns = runtime_ns + op_ns + other_ns;
  if (trace.step_share(waiting_ns) < row_of(FindingKind::host_wait).least) return;
  found.add(FindingKind::host_wait,
            {trace.step_share(waiting_ns), std::llround(trace.work.launches),
             trace.step_share(op_ns), trace.step_share(runtime_ns), trace.step_share(other_ns)},
            waiting_ns * seconds_per_ns);
}

}  // namespace rooflab::findings
