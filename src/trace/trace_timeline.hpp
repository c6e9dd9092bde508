#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "rooflab/base/statistics.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/trace/trace_breakdown.hpp"

/// Common data of all panes of a trace, made once: its events in the order of time, and the calls
/// that launched work. Not a public header.
namespace rooflab::trace {

/// Properties of a range by its name.
struct RangeTraits {
  bool step = false;             ///< `ProfilerStep#3`; of Nsight Systems: step_mark.hpp
  bool data_loader = false;      ///< `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`
  bool collective = false;       ///< one of the plugin's ten names, `nccl:all_reduce` or `gloo:...`
  bool nccl = false;             ///< one of the five NCCL names among these
  bool host_collective = false;  ///< collective of a library that works on the host: `gloo:...`
  bool driver = false;           ///< `cuLaunchKernel`; the plugin ignores calls of the driver
  bool optimizer_step = false;   ///< `Optimizer.step#SGD.step`
  /// Whether it is never a row of the plugin's table of operators.
  bool no_operator = false;
};
[[nodiscard]] RangeTraits traits_of(std::string_view name);

/// Whether a name is one of NCCL's kernels: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`, before
/// 2.19 `ncclKernel_...`, with symmetric memory `ncclSymkDevKernel_...`.
[[nodiscard]] bool is_collective_kernel(std::string_view name);

enum class WorkKind : std::uint8_t { kernel, memcpy, memset };

/// A kernel, copy or fill on a device.
struct DeviceWork {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t external_id = 0;
  std::uint32_t row = 0;              ///< row in the record's kernels or in the trace's copies
  std::uint32_t call = none;          ///< range of the runtime or driver that launched it
  std::uint32_t runtime_call = none;  ///< range of the runtime that launched it
  std::int32_t device = 0;
  WorkKind kind = WorkKind::kernel;
  bool collective = false;  ///< a kernel that is_collective_kernel()

  [[nodiscard]] TimeInterval interval() const { return {start_ns, end_ns}; }
  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
  [[nodiscard]] std::uint32_t call_by(TraceRule rule) const {
    return rule == TraceRule::plugin ? runtime_call : call;
  }
};

/// Values for the names of a table, computed once per name.
template <class Value>
[[nodiscard]] std::vector<Value> of_names(const record::NameTable& names, auto&& value_of) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    values.push_back(value_of(names[static_cast<record::NameTable::Id>(i)]));
  }
  return values;
}

/// Timeline of a trace. It refers to the record, which must outlive it.
struct Timeline {
  explicit Timeline(const record::Record& record);

  const record::Trace* trace;           ///< never null
  const record::KernelTable* kernels;   ///< never null
  std::vector<RangeTraits> traits;      ///< one for each name of ranges
  std::vector<std::uint32_t> by_start;  ///< ranges
  std::vector<DeviceWork> work;         ///< sorted by start

  [[nodiscard]] TimeInterval range(std::uint32_t index) const {
    const std::int64_t start = trace->ranges.start_ns[index];
    return {start, start + trace->ranges.duration_ns[index]};
  }
  [[nodiscard]] const RangeTraits& traits_at(std::uint32_t index) const {
    return traits[trace->ranges.name[index]];
  }
  /// External id of a range that the plugin treats as a collective; 0: it does not, or the id is
  /// missing.
  [[nodiscard]] std::int64_t collective_id(std::uint32_t index) const {
    const record::RangeKind kind = trace->ranges.kind[index];
    const bool can_communicate =
        kind != record::RangeKind::runtime && kind != record::RangeKind::overhead;
    return can_communicate && traits_at(index).collective ? trace->ranges.external_id[index] : 0;
  }
};

}  // namespace rooflab::trace
