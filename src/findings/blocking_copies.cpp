// Copies from pageable memory of the host hold up the step.
//
//   trace   copies whose name has HtoD and Pageable; they go through a pinned buffer of the driver,
//           and the call returns when the data are in it. Worth: the time in which
//           nothing else runs on the device.
//
// Source: CUDA Driver API, "API synchronization behavior". When it is wrong: a copy before the
// first kernel of a step holds up nothing if the host is far ahead.

#include <algorithm>

#include "rules.hpp"

namespace rooflab::findings {

void add_blocking_copies(const TraceFacts& trace, FindingList& found) {
  const double alone_ns = trace.work.alone(trace::LoneKind::pageable_copy);
  if (trace.step_share(alone_ns) < row_of(FindingKind::blocking_copies).least) return;
  found.add(FindingKind::blocking_copies, {trace.step_share(alone_ns), trace.work.pageable_bytes},
            alone_ns * seconds_per_ns,
            text_of(trace.seen.loads_data ? TryLine::pin_loader : TryLine::pin_batch));
}

}  // namespace rooflab::findings
