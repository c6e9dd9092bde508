// Messages and bandwidth of collectives, from what NCCL kernels (else the ops that started them)
// say of themselves: `Collective name`, `In msg nelems`, `Out msg nelems`, `dtype`, `Group size`.
//
//   bytes       S = max(elements in, elements out) * bytes of an element
//   bandwidth   S / time
//   bus bytes   S f, f by the collective and the number of ranks (sent_share)
//
// When it misleads: a kernel that arrived early waits
// for the last rank, and that wait is in its time; analyze_job() tells the two apart.

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "rooflab/base/collective.hpp"
#include "rooflab/trace/trace_operators.hpp"
#include "trace_panes.hpp"
#include "type_sizes.hpp"

namespace rooflab::trace {
namespace {

using record::CommunicationEvent;

/// Share of the message that each rank's link carries; nullopt: not known of this collective.
std::optional<double> bus_factor(std::string_view collective, std::int64_t ranks) {
  const auto has = [&](std::string_view part) {
    return collective.find(part) != std::string_view::npos;
  };
  const auto share = [&](Collective kind) { return sent_share(kind, static_cast<int>(ranks)); };
  if (has("broadcast") || collective == "reduce") return share(Collective::broadcast);
  if (has("send") || has("recv")) return share(Collective::copy);
  if (ranks < 1) return std::nullopt;
  if (has("allreduce") || has("all_reduce")) return share(Collective::all_reduce);
  if (has("allgather") || has("all_gather")) return share(Collective::all_gather);
  if (has("reduce_scatter")) return share(Collective::reduce_scatter);
  if (has("all_to_all") || has("alltoall")) return share(Collective::all_to_all);
  return std::nullopt;
}

}  // namespace

std::vector<CollectiveRow> collective_rows(const record::Trace& trace, const Moments& device,
                                           const Moments& host) {
  const bool on_device = std::ranges::any_of(trace.communications, &CommunicationEvent::on_device);
  std::vector<CommunicationEvent> messages;
  for (const CommunicationEvent& event : trace.communications) {
    if (event.on_device != on_device) continue;
    if ((on_device ? device : host).has(event.start_ns)) messages.push_back(event);
  }
  return collective_rows(messages);
}

std::vector<CollectiveRow> collective_rows(std::span<const CommunicationEvent> messages) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, CollectiveRow> rows;
  for (const CommunicationEvent& event : messages) {
    CollectiveRow& row = rows[{event.collective, event.dtype, event.group_size}];
    if (row.calls++ == 0) row.bytes = row.bus_bytes = 0.0;
    std::optional<double> bytes;
    const std::int64_t elements = std::max(event.elements_in, event.elements_out);
    if (elements >= 0) bytes = scalar_bytes_of(event.dtype);
    if (bytes) *bytes *= static_cast<double>(elements);
    const std::optional<double> factor = bus_factor(event.collective, event.group_size);
    add_part(row.bytes, bytes);
    add_part(row.bus_bytes, factor && bytes ? std::optional(*factor * *bytes) : std::nullopt);
    row.time_ns += event.duration_ns;
  }
  std::vector<CollectiveRow> result;
  for (auto& [key, row] : rows) {
    std::tie(row.collective, row.dtype, row.group_size) = key;
    result.push_back(std::move(row));
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &CollectiveRow::time_ns);
  return result;
}

}  // namespace rooflab::trace
