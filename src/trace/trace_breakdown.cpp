// What a step's time went to.
//
//   breakdown   roles claim time in the order of StepRole; each takes what of its intervals
//   (their
//               union over all streams of a device and all threads) no earlier role has taken,
//               within the steps' windows; `other` is the rest
//   overlap     K = union of computing kernels, C = union of communication, S = a step's window
//               overlap = |K and C and S|,  only = |K and S| - overlap, |C and S| - overlap,
//               other = |S| + overlap - |K and S| - |C and S|
//               On a trace without kernels K is the ops of the host.
//
// Ours makes both for each device with kernels in the steps, and means over the devices; the plugin
// takes all devices for one.
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
// When it misleads: a role says only that something went on; `runtime` is the host waiting or
// launching while the device idles; time of Python that no op covers is `other`. The plugin's
// communication begins with the host's range: where collectives run asynchronously it counts a few
// microseconds before the kernel starts.

#include "rooflab/trace/trace_breakdown.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "record/trace_source.hpp"
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
  } else if (kind == RangeKind::op || !record::facts_of(*timeline.trace).program_ranges) {
    extend(set_of(roles, StepRole::cpu_op), interval);
  }
}

}  // namespace

namespace {

/// Devices that work for the steps; without a kernel there, those that do anything.
std::vector<std::int32_t> devices_of(const Timeline& timeline, const StepWindows& steps) {
  const Moments moments = device_moments(steps);
  std::set<std::int32_t> all;
  std::set<std::int32_t> in_steps;
  for (const DeviceWork& work : timeline.work) {
    all.insert(work.device);
    if (work.kind == WorkKind::kernel && moments.has(work.start_ns)) in_steps.insert(work.device);
  }
  const std::set<std::int32_t>& chosen = in_steps.empty() ? all : in_steps;
  return {chosen.begin(), chosen.end()};
}

/// The host's part, with its communication, of which devices have more.
struct HostRoles {
  RoleSets roles;
  std::vector<TimeInterval> communication;
  std::unordered_set<std::int64_t> collectives;  // External ids, for the plugin
};

HostRoles host_roles(const Timeline& timeline, TraceRule rule) {
  HostRoles host;
  for (const std::uint32_t i : timeline.by_start) {
    add_range(host.roles, host.communication, timeline, i, rule);
    if (const std::int64_t id = timeline.collective_id(i); id != 0) host.collectives.insert(id);
  }
  return host;
}

/// `device`: nullopt for all of them.
RoleSets roles_of(const Timeline& timeline, const HostRoles& host, TraceRule rule,
                  std::optional<std::int32_t> device) {
  RoleSets roles = host.roles;
  std::vector<TimeInterval> communication = host.communication;
  for (const DeviceWork& work : timeline.work) {
    if (device && work.device != *device) continue;
    const StepRole role = work.kind == WorkKind::memcpy   ? StepRole::memcpy
                          : work.kind == WorkKind::memset ? StepRole::memset
                                                          : StepRole::kernel;
    const bool communicates =
        rule == TraceRule::plugin ? host.collectives.contains(work.external_id) : work.collective;
    if (role == StepRole::kernel && communicates) {
      communication.push_back(work.interval());
    } else {
      extend(set_of(roles, role), work.interval());
    }
  }
  set_of(roles, StepRole::communication) = union_of(std::move(communication));
  return roles;
}

StepBreakdown breakdown_of(const RoleSets& roles, const StepWindows& steps, TraceRule rule) {
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
  result.busiest = result.mean;
  return result;
}

/// What the device does.
double busy_ns(const RoleTimes& times) {
  double sum = 0.0;
  for (const StepRole role :
       {StepRole::kernel, StepRole::memcpy, StepRole::memset, StepRole::communication}) {
    sum += set_of(times.role_ns, role);
  }
  return sum;
}

void add_times(RoleTimes& mean, const RoleTimes& part, double count) {
  for (std::size_t role = 0; role < mean.role_ns.size(); ++role) {
    mean.role_ns[role] += part.role_ns[role] / count;
  }
}

}  // namespace

std::vector<DeviceRoles> role_sets(const Timeline& timeline, const StepWindows& steps,
                                   TraceRule rule) {
  const HostRoles host = host_roles(timeline, rule);
  std::vector<DeviceRoles> devices;
  const std::vector<std::int32_t> numbers =
      rule == TraceRule::ours ? devices_of(timeline, steps) : std::vector<std::int32_t>();
  constexpr std::size_t most_devices = 64;  // more than a process has, but for a damaged file
  if (numbers.size() <= most_devices) {
    for (const std::int32_t device : numbers) {
      devices.push_back({device, roles_of(timeline, host, rule, device)});
    }
  }
  if (devices.empty()) devices.push_back({0, roles_of(timeline, host, rule, std::nullopt)});
  return devices;
}

StepBreakdown step_breakdown(std::span<const DeviceRoles> devices, const StepWindows& steps,
                             TraceRule rule) {
  StepBreakdown result = breakdown_of(devices.front().roles, steps, rule);
  if (devices.size() == 1) return result;
  const auto count = static_cast<double>(devices.size());
  const auto clear = [](RoleTimes& times) { times.role_ns = {}; };
  std::vector<StepBreakdown> all = {result};
  for (const DeviceRoles& each : devices.subspan(1)) {
    all.push_back(breakdown_of(each.roles, steps, rule));
  }
  clear(result.mean);
  for (StepCosts& step : result.steps) clear(step.times);
  for (const StepBreakdown& each : all) {
    add_times(result.mean, each.mean, count);
    for (std::size_t i = 0; i < result.steps.size(); ++i) {
      add_times(result.steps[i].times, each.steps[i].times, count);
    }
    if (busy_ns(each.mean) > busy_ns(result.busiest)) result.busiest = each.mean;
  }
  return result;
}

OverlapTable step_overlap(std::span<const DeviceRoles> devices, const StepWindows& steps,
                          TraceRule rule) {
  const bool has_kernels = std::ranges::any_of(devices, [](const DeviceRoles& each) {
    return !set_of(each.roles, StepRole::kernel).empty();
  });
  OverlapTable result;
  result.rule = rule;
  result.steps.resize(steps.steps.size());
  const auto count = static_cast<double>(devices.size());
  for (const auto& [device, roles] : devices) {
    const IntervalSet& computing = set_of(roles, has_kernels ? StepRole::kernel : StepRole::cpu_op);
    const IntervalSet& communicating = set_of(roles, StepRole::communication);
    const IntervalSet both = intersection_of(computing, communicating);
    result.has_communication = result.has_communication || !communicating.empty();
    for (std::size_t i = 0; i < result.steps.size(); ++i) {
      const TimeInterval window = steps.steps[i].window;
      const auto within = [&](const IntervalSet& set) {
        return static_cast<double>(total_within_ns(set, window));
      };
      StepOverlap& row = result.steps[i];
      const double overlap_ns = within(both);
      const double computation_ns = within(computing) - overlap_ns;
      const double communication_ns = within(communicating) - overlap_ns;
      row.overlap_ns += overlap_ns / count;
      row.computation_only_ns += computation_ns / count;
      row.communication_only_ns += communication_ns / count;
      row.other_ns += (static_cast<double>(window.duration_ns()) - overlap_ns - computation_ns -
                       communication_ns) /
                      count;
    }
  }
  for (const StepOverlap& row : result.steps) {
    for (const auto part : {&StepOverlap::computation_only_ns, &StepOverlap::overlap_ns,
                            &StepOverlap::communication_only_ns, &StepOverlap::other_ns}) {
      result.mean.*part += row.*part / static_cast<double>(result.steps.size());
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
