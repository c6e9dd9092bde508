// The device waits for the host.
//
//   trace   waiting = the step less the time in which a kernel, a copy or communication goes on,
//           and less waiting for data (data_loading.cpp): the roles runtime, cpu_op and other of
//           the step's breakdown. Worth: all of it but what the finding of the optimizer saves of
//           it, which a captured graph comes near to.
//   predicted   waiting = the expected step less the device's part of it, where issue costs of a
//               host are in the prediction. Worth: all of it.
//   measured    waiting = the step less the time of the same step when its work was queued
//               beforehand (not on a CPU). Worth: all of it.
//   scaling     waiting = the time of the slowest rank in which no kernel runs, where that is 15 %
//               or more. Worth: all of it.
//
// Source: the breakdown is docs/methods/traces.md's; CUDA C++ Programming Guide, "CUDA Graphs".
// When it is wrong: the profiler itself slows the host, by some microseconds an op, so that a step
// without it waits less; a wait that the program asks for (evaluation, printing) counts too.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "rooflab/analyze/predict_case.hpp"
#include "rules.hpp"

namespace rooflab::findings {

void add_host_wait(const TraceFacts& trace, FindingList& found) {
  using trace::StepRole;
  const double runtime_ns = trace.role_ns(StepRole::runtime);
  const double op_ns = trace.role_ns(StepRole::cpu_op);
  const double other_ns = trace.role_ns(StepRole::other);
  const double waiting_ns = runtime_ns + op_ns + other_ns;
  if (trace.step_share(waiting_ns) < row_of(FindingKind::host_wait).least) return;
  // What the host did meanwhile, as far as it was recorded.
  const record::Trace& recorded = *trace.imported.record.trace;
  const auto has = [&](record::RangeKind kind) {
    return std::ranges::find(recorded.ranges.kind, kind) != recorded.ranges.kind.end();
  };
  std::vector<NoteValue> values = {trace.step_share(waiting_ns), std::llround(trace.work.launches)};
  if (!has(record::RangeKind::op)) {
    values.resize(5);
    if (has(record::RangeKind::runtime)) values.emplace_back(trace.step_share(runtime_ns));
  } else {
    values.insert(values.end(), {trace.step_share(op_ns), trace.step_share(runtime_ns),
                                 trace.step_share(other_ns)});
  }
  // Whoever launches graphs has them captured.
  const std::string attempt =
      trace.seen.replays_graphs ? std::string() : text_of(TryLine::compile_graphs);
  found.add(FindingKind::host_wait, std::move(values),
            waiting_ns * seconds_per_ns - found.worth_of(FindingKind::optimizer), attempt);
}

void add_host_wait(const NetworkFacts& network, FindingList& found) {
  const auto& prediction = network.result.prediction;
  if (!network.result.has_interval() || network.result.issued_by.empty() ||
      network.result.issued_by == analyze::graph_issuer) {
    return;
  }
  const double waiting_s = prediction->time.value - prediction->device.value;
  const double share = waiting_s / prediction->time.value;
  if (share < row_of(FindingKind::host_wait).least) return;
  // A recording without another one next to it has no other batch.
  Finding& finding = found.add(FindingKind::host_wait, {share}, network.above_ideal_s(waiting_s));
  if (network.result.doubled_batch) network.advise_twice_the_batch(finding);
}

void add_host_wait(const analyze::MeasuredCase& measured, FindingList& found) {
  const std::optional<double> step_s = measured.median_s();
  const auto& timing = measured.record.timing;
  if (!step_s || !timing || !timing->device_s || measured.record.environment.device.kind == "cpu") {
    return;
  }
  const double waiting_s = *step_s - *timing->device_s;
  if (waiting_s / *step_s < row_of(FindingKind::host_wait).least) return;
  const record::CaseIdentity& identity = measured.record.identity;
  advise(found.add(FindingKind::host_wait, {waiting_s / *step_s}, waiting_s, std::string()),
         identity.command, {twice_the_batch(identity.batch)});
}

void add_host_wait(const analyze::ScalingRow& row, FindingList& found) {
  constexpr double busy_enough = 0.85;
  const auto slowest = std::ranges::find(row.ranks, true, &analyze::ScalingRank::slowest);
  if (slowest == row.ranks.end() || !slowest->busy_share || *slowest->busy_share >= busy_enough) {
    return;
  }
  const double share = 1.0 - *slowest->busy_share;
  const std::optional<double> step_s = row.step().step_s;
  Finding& finding =
      found.add(FindingKind::host_wait, {share},
                step_s ? std::optional(share * *step_s) : std::nullopt, std::string());
  advise(finding, row.command_line, {{.member = ChangedMember::batch, .doubles = true}});
}

}  // namespace rooflab::findings
