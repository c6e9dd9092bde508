#include "export_tables.hpp"

#include <limits>

#include "base/format.hpp"

namespace rooflab::import::nsys {
namespace {

// A serialized id: hardware and virtual machine, 24 bits of process, 24 bits of thread. Source: the
// user guide of Nsight Systems, "Serialized process and thread identifiers".
constexpr int thread_bits = 24;
constexpr std::int64_t thread_mask = (std::int64_t{1} << thread_bits) - 1;

/// Times of a capture count from its start: what is beyond is damage, and must not overflow sums.
constexpr std::int64_t most_ns = 10'000'000'000'000'000;  // 115 days

}  // namespace

std::int64_t process_of(std::int64_t global_id) { return (global_id >> thread_bits) & thread_mask; }

std::int64_t Processes::number_of(std::optional<std::int64_t> global_id) {
  if (!global_id) return 0;
  const auto next = static_cast<std::int64_t>(numbers_.size());
  return numbers_.try_emplace(*global_id & ~thread_mask, next).first->second;
}

std::int64_t Processes::correlation(Rows& rows, std::optional<std::int64_t> global_id,
                                    std::size_t column) {
  // The driver's numbers have 32 bits.
  constexpr int bits = 40;
  const auto number = rows.integer(column, 0, (std::int64_t{1} << bits) - 1);
  if (!number || *number == 0) return 0;
  constexpr std::int64_t most_processes = 1 << 20;
  return ((number_of(global_id) % most_processes) << bits) | *number;
}

std::string Processes::label(std::optional<std::int64_t> global_id) const {
  const std::int64_t pid = global_id ? process_of(*global_id) : 0;
  const auto named = names.find(pid);
  std::string name = named != names.end() ? named->second : first_name;
  if (name.empty()) name = "process";
  if (!global_id) return host.empty() ? name : format("{} (on {})", name, host);
  return host.empty() ? format("{} ({})", name, pid) : format("{} ({} on {})", name, pid, host);
}

EventTime time_of(Rows& rows, ExportTables& tables) {
  constexpr std::size_t start_column = 0;
  constexpr std::size_t end_column = 1;
  EventTime time;
  const auto start = rows.integer(start_column, -most_ns, most_ns);
  const auto end = rows.integer(end_column, -most_ns, most_ns);
  // CUPTI writes 0 for both where it could not take the time.
  if (start && end && *start == 0 && *end == 0) {
    rows.lose("events whose time was not recorded");
    return time;
  }
  if (start) {
    time.start_ns = start;
    if (!tables.first_ns || *start < *tables.first_ns) tables.first_ns = start;
  }
  if (!start || !end) return time;
  if (*end < *start) {
    rows.lose("events that end before they begin");
    return time;
  }
  time.duration_ns = *end - *start;
  return time;
}

std::int32_t device_of(Rows& rows, std::size_t column, std::optional<std::int64_t> global_pid,
                       const ExportTables& tables) {
  std::int64_t number =
      rows.integer(column, 0, std::numeric_limits<std::int32_t>::max()).value_or(0);
  if (!tables.gpu_of_cuda_device.empty() && global_pid) {
    const auto gpu = tables.gpu_of_cuda_device.find({process_of(*global_pid), number});
    if (gpu != tables.gpu_of_cuda_device.end()) number = gpu->second;
  }
  return static_cast<std::int32_t>(number);
}

std::optional<record::NameTable::Id> NameNumbers::of(std::int64_t id,
                                                     std::string (*change)(std::string_view)) {
  const auto [known, is_new] = known_.try_emplace(id);
  if (is_new) {
    if (const auto text = strings_.text(id)) {
      known->second = names_.intern(change != nullptr ? change(*text) : *text);
    }
  }
  return known->second;
}

}  // namespace rooflab::import::nsys
