// What the allocators held over time: `Total Allocated` and `Total Reserved` of each `[memory]`
// event (profile_memory=True). The peak is the largest total that was recorded. Source:
// torch_tb_profiler, profiler/memory_parser.py (get_peak_memory).
//
// When it misleads: the curve is of PyTorch's allocator, not of the device (context, libraries and
// other processes are not in it). Where only changes were recorded (before PyTorch 1.10) the curve
// begins at 0 whatever was allocated then.

#include <algorithm>
#include <map>

#include "rooflab/trace/trace_breakdown.hpp"
#include "trace_panes.hpp"

namespace rooflab::trace {

using record::AllocationEvent;

std::vector<MemoryCurve> memory_curves(const record::Trace& trace) {
  std::map<int, std::vector<const AllocationEvent*>> devices;
  for (const AllocationEvent& event : trace.allocations) devices[event.device].push_back(&event);

  std::vector<MemoryCurve> curves;
  for (auto& [device, events] : devices) {
    std::ranges::stable_sort(events, {}, &AllocationEvent::time_ns);
    MemoryCurve& curve = curves.emplace_back();
    curve.device = device;
    curve.relative = std::ranges::all_of(
        events, [](const AllocationEvent* event) { return event->total_allocated < 0; });
    std::int64_t sum = 0;
    for (const AllocationEvent* event : events) {
      sum += event->bytes;
      if (!curve.relative && event->total_allocated < 0) continue;
      MemoryPoint& point = curve.points.emplace_back();
      point.time_ns = event->time_ns;
      point.allocated_bytes = curve.relative ? sum : event->total_allocated;
      if (event->total_reserved >= 0) {
        point.reserved_bytes = event->total_reserved;
        curve.peak_reserved_bytes =
            std::max(curve.peak_reserved_bytes.value_or(0), event->total_reserved);
      }
      if (!curve.relative) {
        curve.peak_allocated_bytes =
            std::max(curve.peak_allocated_bytes.value_or(0), event->total_allocated);
      }
    }
  }
  return curves;
}

}  // namespace rooflab::trace
