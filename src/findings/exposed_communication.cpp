// Communication that nothing hides.
//
//   trace   time with communication and without computation, over the step. Worth: all of it.
//   scaling   exposed share of the measured step (docs/methods/scaling.md), from kernels, or
//             derived from steps with and without exchange. Worth: all of it.
//
// Source: docs/methods/traces.md, overlap. When it is wrong: a rank that waits for another one in
// an all-reduce communicates by this measure; see unbalanced_ranks.cpp.

#include "rules.hpp"

namespace rooflab::findings {

void add_exposed_communication(const TraceFacts& trace, FindingList& found) {
  const double exposed_ns = trace.panes.overlap.mean.communication_only_ns;
  if (trace.step_share(exposed_ns) < row_of(FindingKind::exposed_communication).least) return;
  found.add(FindingKind::exposed_communication, {NoteValue(), trace.step_share(exposed_ns)},
            exposed_ns * seconds_per_ns,
            trace.seen.trains && trace.seen.averages_gradients ? text_of(TryLine::larger_buckets)
                                                               : std::string());
}

void add_exposed_communication(const analyze::ScalingRow& row, FindingList& found) {
  if (!row.measured) return;
  const analyze::ScalingExchange& exchange = row.measured->exchange;
  const std::optional<double> exposed = exchange.exposed_share();
  if (!exposed || *exposed < row_of(FindingKind::exposed_communication).least) return;
  const std::optional<double> step_s = row.measured->step_s;
  Finding& finding = found.add(
      FindingKind::exposed_communication,
      {row.devices, *exposed, exchange.hidden_derived ? NoteValue("derived") : NoteValue()},
      step_s ? std::optional(*exposed * *step_s) : std::nullopt, std::string());
  advise(finding, row.command_line, {{.member = ChangedMember::batch, .doubles = true}});
}

}  // namespace rooflab::findings
