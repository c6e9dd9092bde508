// What a step's time went to.
//
//   breakdown   roles claim time in the order of StepRole; each takes what of its own intervals
//   (their
//               union over all streams, threads and devices) no earlier role has taken, within the
//               steps' windows; `other` is the rest
//   overlap     K = union of computing kernels, C = union of communication, S = a step's window
//               overlap = |K and C and S|,  only = |K and S| - overlap, |C and S| - overlap,
//               other = |S| + overlap - |K and S| - |C and S|
//               On a trace without kernels K is the ops of the host.
//
// Which role an event has, by the plugin and by ours:
//   kernel          neither's communication
//   communication   plugin: a kernel whose External id is of an op or annotation named nccl: or
//   gloo:
//                   broadcast, reduce, all_reduce, all_gather, reduce_scatter, and these ranges of
//                   the host themselves; ours: kernels with NCCL's names, host ranges of gloo: and
//                   mpi:
//   runtime         plugin: the runtime only; ours: the driver too
//   cpu_op          ops and annotations but steps; plugin: annotations' copies on the device too;
//                   ranges of Nsight Systems are the program's own and say nothing of ops
//
// Sources: torch_tb_profiler, profiler/event_parser.py (StepParser._parse_step) and
// overall_parser.py. TraceRule::plugin keeps one of its faults: when nothing is left to claim
// before the last role, the next role takes all its intervals, of any step, and the claim begins
// anew, so that a step adds up to more than its window.
//
// When it misleads: a role says only that something went on. One kernel on one of several devices
// makes a moment `kernel`; `runtime` is the host waiting or launching while the device idles; time
// of Python that no op covers is `other`. The plugin's communication begins with the host's range:
// where collectives run asynchronously it counts a few microseconds before the kernel starts.

#include "rooflab/trace/trace_breakdown.hpp"

#include <algorithm>
#include <unordered_set>

#include "rooflab/base/statistics.hpp"
#include "trace_panes.hpp"

namespace rooflab::trace {
namespace {

using record::RangeKind;

auto& set_of(auto& roles, StepRole role) { return roles[static_cast<std::size_t>(role)]; }

void add_range(RoleSets& roles, std::vector<TimeInterval>& communication, const Timeline& timeline,
               std::uint32_t i, TraceRule rule) {
  const bool plugin = rule == TraceRule::plugin;
  const RangeTraits& traits = timeline.traits_at(i);
  const TimeInterval interval = timeline.range(i);
  const RangeKind kind = timeline.trace->ranges.kind[i];
  if (kind == RangeKind::overhead || (kind == RangeKind::device_annotation && !plugin)) return;
  if (kind == RangeKind::runtime) {
    if (!(plugin && traits.driver)) extend(set_of(roles, StepRole::runtime), interval);
  } else if (traits.data_loader) {
    extend(set_of(roles, StepRole::data_loader), interval);
  } else if (traits.step) {
    return;
  } else if (plugin ? traits.collective : traits.host_collective) {
    communication.push_back(interval);
  } else if (kind == RangeKind::op || timeline.trace->profiler != record::nsight_systems) {
    extend(set_of(roles, StepRole::cpu_op), interval);
  }
}

}  // namespace

RoleSets role_sets(const Timeline& timeline, TraceRule rule) {
  RoleSets roles;
  std::vector<TimeInterval> communication;
  std::unordered_set<std::int64_t> collectives;  // External ids, for the plugin
  for (const std::uint32_t i : timeline.by_start) {
    add_range(roles, communication, timeline, i, rule);
    if (const std::int64_t id = timeline.collective_id(i); id != 0) collectives.insert(id);
  }
  for (const DeviceWork& work : timeline.work) {
    const StepRole role = work.kind == WorkKind::memcpy   ? StepRole::memcpy
                          : work.kind == WorkKind::memset ? StepRole::memset
                                                          : StepRole::kernel;
    const bool communicates =
        rule == TraceRule::plugin ? collectives.contains(work.external_id) : work.collective;
    if (role == StepRole::kernel && communicates) {
      communication.push_back(work.interval());
    } else {
      extend(set_of(roles, role), work.interval());
    }
  }
  set_of(roles, StepRole::communication) = union_of(std::move(communication));
  return roles;
}

StepBreakdown step_breakdown(const RoleSets& roles, const StepWindows& steps, TraceRule rule) {
  StepBreakdown result;
  const double count = std::max<double>(1.0, static_cast<double>(steps.steps.size()));
  for (const StepWindow& step : steps.steps) {
    StepCosts& costs = result.steps.emplace_back();
    costs.step = step;
    costs.times.total_ns = static_cast<double>(step.window.duration_ns());
    result.mean.total_ns += costs.times.total_ns / count;
  }
  const auto claim = [&](std::size_t role, const IntervalSet& claimed) {
    for (StepCosts& costs : result.steps) {
      costs.times.role_ns[role] = static_cast<double>(total_within_ns(claimed, costs.step.window));
      result.mean.role_ns[role] += costs.times.role_ns[role] / count;
    }
  };

  const IntervalSet windows = union_of(steps.windows());
  IntervalSet rest = windows;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    if (rule == TraceRule::plugin && rest.empty()) {
      rest = windows;
      claim(role, roles[role]);
    } else {
      claim(role, intersection_of(rest, roles[role]));
    }
    rest = difference_of(rest, roles[role]);
  }
  claim(roles.size(), rest);
  return result;
}

OverlapTable step_overlap(const RoleSets& roles, const StepWindows& steps, TraceRule rule) {
  const IntervalSet& kernels = set_of(roles, StepRole::kernel);
  const IntervalSet& computing = kernels.empty() ? set_of(roles, StepRole::cpu_op) : kernels;
  const IntervalSet& communicating = set_of(roles, StepRole::communication);
  const IntervalSet both = intersection_of(computing, communicating);

  OverlapTable result;
  result.rule = rule;
  result.has_communication = !communicating.empty();
  const double count = static_cast<double>(steps.steps.size());
  for (const StepWindow& step : steps.steps) {
    const auto within = [&](const IntervalSet& set) {
      return static_cast<double>(total_within_ns(set, step.window));
    };
    StepOverlap& row = result.steps.emplace_back();
    row.overlap_ns = within(both);
    row.computation_only_ns = within(computing) - row.overlap_ns;
    row.communication_only_ns = within(communicating) - row.overlap_ns;
    row.other_ns = static_cast<double>(step.window.duration_ns()) - row.overlap_ns -
                   row.computation_only_ns - row.communication_only_ns;
    for (const auto part : {&StepOverlap::computation_only_ns, &StepOverlap::overlap_ns,
                            &StepOverlap::communication_only_ns, &StepOverlap::other_ns}) {
      result.mean.*part += row.*part / count;
    }
  }
  return result;
}

std::map<StepRole, double> RoleTimes::roles_s() const {
  std::map<StepRole, double> roles;
  for (const StepRole role : values_of<StepRole>) {
    roles[role] = role_ns[static_cast<std::size_t>(role)] * 1e-9;
  }
  return roles;
}

std::optional<double> StepOverlap::communication_share() const {
  const double communication_ns = overlap_ns + communication_only_ns;
  return quotient(communication_ns, computation_only_ns + communication_ns + other_ns);
}

std::optional<double> StepOverlap::hidden_share() const {
  return quotient(overlap_ns, overlap_ns + communication_only_ns);
}

}  // namespace rooflab::trace
