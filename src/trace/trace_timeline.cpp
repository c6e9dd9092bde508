// Which call launched what: the runtime's (or driver's) range with the same correlation number. One
// call may launch several kernels (a graph). Should a number be used twice, work belongs to the
// last call that began no later than the work, else to the first: so the plugin, which reads the
// events in the order of time.

#include "trace_timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "rooflab/base/text.hpp"
#include "step_mark.hpp"

namespace rooflab::trace {
namespace {

using record::KernelFigure;
using record::RangeKind;

template <class Part>
const Part* or_empty(const std::optional<Part>& part) {
  static const Part empty;
  return part ? &*part : &empty;
}

struct Call {
  std::int64_t correlation;
  std::uint32_t range;
  bool driver;
};

/// Calls that launched something, by correlation, then by start.
using Calls = std::vector<Call>;

std::uint32_t caller_of(const Calls& calls, const std::vector<std::int64_t>& starts,
                        std::int64_t correlation, std::int64_t start_ns, bool with_driver) {
  if (correlation == 0) return DeviceWork::none;
  auto call = std::ranges::lower_bound(calls, correlation, {}, &Call::correlation);
  std::uint32_t found = DeviceWork::none;
  for (; call != calls.end() && call->correlation == correlation; ++call) {
    if (call->driver && !with_driver) continue;
    if (found != DeviceWork::none && starts[call->range] > start_ns) break;
    found = call->range;
  }
  return found;
}

Calls calls_of(const Timeline& timeline) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  std::unordered_set<std::int64_t> wanted;
  for (std::size_t row = 0; row < timeline.kernels->size(); ++row) {
    wanted.insert(timeline.kernels->launch(row).launch);
  }
  for (const record::CopyEvent& copy : timeline.trace->copies) wanted.insert(copy.correlation);
  Calls calls;
  for (const std::uint32_t i : timeline.by_start) {
    const std::int64_t correlation = ranges.correlation[i];
    if (ranges.kind[i] != RangeKind::runtime || correlation == 0) continue;
    if (wanted.contains(correlation))
      calls.push_back({correlation, i, timeline.traits_at(i).driver});
  }
  std::ranges::stable_sort(calls, {}, &Call::correlation);
  return calls;
}

}  // namespace

RangeTraits traits_of(std::string_view name) {
  // The plugin knows these five and no other: not `nccl:_all_gather_base`, not `nccl:coalesced`.
  static constexpr std::array<std::string_view, 5> collectives{"broadcast", "reduce", "all_reduce",
                                                               "all_gather", "reduce_scatter"};
  RangeTraits traits;
  traits.step = name.starts_with("ProfilerStep#");
  traits.data_loader =
      (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
      name.starts_with("enumerate(DataPipe)#");
  const bool nccl = name.starts_with("nccl:");
  const bool gloo = name.starts_with("gloo:");
  traits.collective =
      (nccl || gloo) && std::ranges::find(collectives, name.substr(5)) != collectives.end();
  traits.nccl = nccl && traits.collective;
  traits.host_collective = gloo || name.starts_with("mpi:");
  traits.driver = name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  traits.optimizer_step = name.starts_with("Optimizer.step");
  traits.no_operator = traits.step || traits.data_loader || name.starts_with("Optimizer.") ||
                       name == "DataParallel.forward" || name == "DistributedDataParallel.forward";
  return traits;
}

bool is_collective_kernel(std::string_view name) {
  if (name.find("ncclKernel_") != std::string_view::npos) return true;
  if (!name.starts_with("nccl")) return false;
  const auto end = std::ranges::find_if_not(name, is_letter);
  return std::string_view(name.begin(), end).find("Kernel") != std::string_view::npos;
}

Timeline::Timeline(const record::Record& record)
    : trace(or_empty(record.trace)), kernels(or_empty(record.kernels)) {
  const record::RangeTable& ranges = trace->ranges;
  traits = of_names<RangeTraits>(ranges.names, traits_of);
  const StepMark mark = step_mark_of(*trace);
  for (std::size_t name = 0; name < traits.size(); ++name) traits[name].step = mark.is_step[name];
  by_start.resize(ranges.size());
  std::iota(by_start.begin(), by_start.end(), 0U);
  std::ranges::sort(by_start, {},
                    [&](std::uint32_t i) { return std::pair(ranges.start_ns[i], i); });

  const Calls calls = calls_of(*this);

  const std::vector<bool> collective = of_names<bool>(kernels->names, is_collective_kernel);
  work.reserve(kernels->size() + trace->copies.size());
  const auto add = [&](DeviceWork event, std::int64_t correlation) {
    event.call = caller_of(calls, ranges.start_ns, correlation, event.start_ns, true);
    event.runtime_call = caller_of(calls, ranges.start_ns, correlation, event.start_ns, false);
    work.push_back(event);
  };
  for (std::size_t row = 0; row < kernels->size(); ++row) {
    const record::KernelLaunch launch = kernels->launch(row);
    const std::optional<double> time_s = kernels->at(KernelFigure::time_s, row);
    if (!launch.start_ns || !time_s) continue;  // from counters: no place in time
    DeviceWork event;
    event.start_ns = *launch.start_ns;
    event.end_ns = event.start_ns + std::llround(*time_s * 1e9);
    event.external_id = launch.external_id;
    event.row = static_cast<std::uint32_t>(row);
    event.device = launch.device;
    event.kind = WorkKind::kernel;
    event.collective = collective[launch.name];
    add(event, launch.launch);
  }
  for (std::size_t row = 0; row < trace->copies.size(); ++row) {
    const record::CopyEvent& copy = trace->copies[row];
    DeviceWork event;
    event.start_ns = copy.start_ns;
    event.end_ns = copy.start_ns + copy.duration_ns;
    event.row = static_cast<std::uint32_t>(row);
    event.device = copy.device;
    event.kind = copy.kind == record::CopyKind::memcpy ? WorkKind::memcpy : WorkKind::memset;
    add(event, copy.correlation);
  }
  std::ranges::sort(work, {}, [](const DeviceWork& event) {
    return std::tuple(event.start_ns, event.kind, event.row);
  });
}

}  // namespace rooflab::trace
