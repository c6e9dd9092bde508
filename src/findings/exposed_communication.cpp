// Communication that nothing hides.
//
//   trace   time with communication and without computation, over the step. Worth: all of it.
//
// Source: docs/methods/traces.md, overlap. When it is wrong: a rank that waits for another one in
// an all-reduce communicates by this measure; see unbalanced_ranks.cpp.

#include "rules.hpp"

namespace rooflab::findings {

void add_exposed_communication(const TraceFacts& trace, FindingList& found) {
  const double exposed_ns = trace.panes.overlap.mean.communication_only_ns;
  if (trace.step_share(exposed_ns) < row_of(FindingKind::exposed_communication).least) return;
  found.add(FindingKind::exposed_communication, {NoteValue(), trace.step_share(exposed_ns)},
            exposed_ns * seconds_per_ns);
}

}  // namespace rooflab::findings
