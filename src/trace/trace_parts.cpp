// One capture may hold several processes: `nsys profile torchrun ...`, traces of ranks that a
// script merged. Steps, ops and calls are those of a process, and numbers (External ids,
// correlations) mean something within one only. So each process that launched work becomes a
// separate record, and what is known of several traces (trace_job.cpp) holds for them, too.
//
// Threads that mark steps at the same time, each with separate work, become parts likewise, where
// all work can be told apart; else the steps of one thread count (trace_steps.cpp).

#include "rooflab/trace/trace_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "notes/record_notes.hpp"
#include "notes/trace_notes.hpp"
#include "record/trace_device.hpp"
#include "record/trace_source.hpp"
#include "step_ranges.hpp"
#include "trace_timeline.hpp"
#include "work_owners.hpp"

namespace rooflab::trace {
namespace {

using record::NameTable;
using record::Record;

/// Copies of texts of a table into another one, each looked up once.
class Renamed {
 public:
  Renamed(const NameTable& from, NameTable& to) : from_(from), to_(to), ids_(from.size()) {}

  NameTable::Id of(NameTable::Id id) {
    if (id >= ids_.size()) return id;
    if (!ids_[id]) ids_[id] = to_.intern(from_[id]);
    return *ids_[id];
  }

 private:
  const NameTable& from_;
  NameTable& to_;
  std::vector<std::optional<NameTable::Id>> ids_;
};

record::RangeTable ranges_of(const record::RangeTable& all, const WorkOwners& owners, int owner) {
  record::RangeTable part;
  part.arguments.intern("");
  Renamed names(all.names, part.names);
  Renamed arguments(all.arguments, part.arguments);
  Renamed threads(all.threads, part.threads);
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (owners.ranges[row] != owner) continue;
    part.kind.push_back(all.kind[row]);
    part.name.push_back(names.of(all.name[row]));
    part.thread.push_back(threads.of(all.thread[row]));
    part.argument.push_back(arguments.of(all.argument[row]));
    part.start_ns.push_back(all.start_ns[row]);
    part.duration_ns.push_back(all.duration_ns[row]);
    part.external_id.push_back(all.external_id[row]);
    part.correlation.push_back(all.correlation[row]);
    part.sequence.push_back(all.sequence[row]);
  }
  return part;
}

record::KernelTable kernels_of(const record::KernelTable& all, const WorkOwners& owners,
                               int owner) {
  record::KernelTable part;
  Renamed names(all.names, part.names);
  Renamed processes(all.processes, part.processes);
  std::vector<record::KernelFigure> figures;
  for (const record::KernelFigure figure : values_of<record::KernelFigure>) {
    if (!record::is_derived(figure) && all.has(figure)) figures.push_back(figure);
  }
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (owners.kernels[row] != owner) continue;
    record::KernelLaunch launch = all.launch(row);
    launch.name = names.of(launch.name);
    launch.process = processes.of(launch.process);
    const std::size_t own = part.add(launch);
    for (const record::KernelFigure figure : figures) {
      if (const auto value = all.at(figure, row)) part.set(figure, own, *value);
    }
  }
  return part;
}

/// The op of a kernel is that of the call that launched it: the file may have named the one of
/// another process with the same number.
void set_ops(Record& part) {
  const record::RangeTable& ranges = part.trace->ranges;
  std::map<std::int64_t, std::int64_t> op_of_call;
  for (std::size_t row = 0; row < ranges.size(); ++row) {
    if (ranges.correlation[row] == 0 || ranges.external_id[row] == 0) continue;
    op_of_call.try_emplace(ranges.correlation[row], ranges.external_id[row]);
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> op_at;
  for (std::size_t row = 0; row < part.kernels->size(); ++row) {
    const record::KernelLaunch& launch = part.kernels->launch(row);
    const auto op = op_of_call.find(launch.launch);
    if (launch.launch == 0 || op == op_of_call.end()) continue;
    part.kernels->set_external_id(row, op->second);
    const auto time_s = part.kernels->at(record::KernelFigure::time_s, row);
    if (launch.start_ns && time_s) {
      op_at[{*launch.start_ns, std::llround(*time_s * 1e9)}] = op->second;
    }
  }
  for (record::CommunicationEvent& message : part.trace->communications) {
    const auto op = op_at.find({message.start_ns, message.duration_ns});
    if (message.on_device && op != op_at.end()) message.external_id = op->second;
  }
}

template <class Row>
void take(std::vector<Row>& part, const std::vector<Row>& all, const std::vector<int>& owners,
          int owner) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == owner) part.push_back(all[i]);
  }
}

/// A record without its trace and kernels.
struct Capture {
  Record rest;
  record::Trace trace;
  record::KernelTable kernels;
};

Record part_of(const Capture& capture, const WorkOwners& owners, int owner) {
  Record part = capture.rest;
  record::Trace& trace = part.trace.emplace();
  trace.profiler = capture.trace.profiler;
  trace.base_ns = capture.trace.base_ns;
  trace.world_size = capture.trace.world_size;  // the rank is one of theirs, nobody knows whose
  trace.backend = capture.trace.backend;
  trace.devices = capture.trace.devices;
  trace.copy_names = capture.trace.copy_names;
  trace.ranges = ranges_of(capture.trace.ranges, owners, owner);
  take(trace.copies, capture.trace.copies, owners.copies, owner);
  take(trace.communications, capture.trace.communications, owners.messages, owner);
  take(trace.allocations, capture.trace.allocations, owners.allocations, owner);
  part.kernels = kernels_of(capture.kernels, owners, owner);
  set_ops(part);
  const std::string uuid = part.environment.device.uuid;
  const int device = part.environment.device.index;
  record::set_device_of_kernels(part);
  if (part.environment.device.index == device) part.environment.device.uuid = uuid;
  return part;
}

/// What belongs to none of them.
void lose_the_rest(std::vector<record::Loss>& lost, const WorkOwners& owners) {
  const auto lose = [&](const std::vector<int>& all, std::string_view what) {
    const auto count = std::ranges::count(all, WorkOwners::nobody);
    if (count > 0) lost.push_back({std::string(what), count, ""});
  };
  lose(owners.kernels, "kernels that none of the processes launched");
  lose(owners.copies, "copies that none of the processes launched");
  lose(owners.messages, "messages of which the process is not known");
  lose(owners.allocations, "changes of memory of which the process is not known");
}

/// Owners that have work, by their first device.
std::vector<int> in_order(const Capture& capture, const WorkOwners& owners) {
  std::vector<std::int64_t> work = owners.work_of_owners();
  std::vector<std::int32_t> device(work.size(), std::numeric_limits<std::int32_t>::max());
  for (std::size_t row = capture.kernels.size(); row-- > 0;) {
    const int owner = owners.kernels[row];
    if (owner != WorkOwners::nobody) {
      device[static_cast<std::size_t>(owner)] = capture.kernels.launch(row).device;
    }
  }
  std::vector<int> order;
  for (int owner = 0; owner < owners.count; ++owner) {
    if (work[static_cast<std::size_t>(owner)] > 0) order.push_back(owner);
  }
  std::ranges::stable_sort(order, {},
                           [&](int owner) { return device[static_cast<std::size_t>(owner)]; });
  return order;
}

/// The parts of a record whose work has these owners.
std::vector<TracePart> parted(Record record, const WorkOwners& owners,
                              const std::vector<std::string>& names) {
  Capture capture;
  capture.trace = std::move(*record.trace);
  capture.kernels = std::move(*record.kernels);
  record.trace.reset();
  record.kernels.reset();
  capture.rest = std::move(record);
  std::vector<TracePart> parts;
  for (const int owner : in_order(capture, owners)) {
    parts.push_back({part_of(capture, owners, owner), names[static_cast<std::size_t>(owner)]});
    if (parts.size() > 1) continue;
    // The file's losses are said once.
    lose_the_rest(parts.front().record.lost, owners);
    capture.rest.lost.clear();
    std::erase_if(capture.rest.warnings,
                  [](const Note& note) { return note.code == record::says.trace_not_used; });
  }
  return parts;
}

/// `python3 (417)`, without what an address would be read from.
std::string name_of_process(const Record& record, std::string_view process) {
  const NameTable& labels = record.kernels->processes;
  for (NameTable::Id id = 0; id < labels.size(); ++id) {
    if (!names_process(labels[id], process)) continue;
    const std::string_view label = labels[id];
    if (label.starts_with('(')) break;
    return std::string(label.substr(label.rfind('/', label.rfind('(')) + 1));
  }
  return format("process {}", process);
}

/// A part for each process that launched work.
std::vector<TracePart> by_process(Record record) {
  const record::RangeTable& ranges = record.trace->ranges;
  std::vector<bool> used(ranges.threads.size());
  for (std::size_t row = 0; row < ranges.size(); ++row) {
    if (is_of_host(ranges.kind[row])) used[ranges.thread[row]] = true;
  }
  std::map<std::string_view, int> number;
  std::vector<std::string_view> processes;
  std::vector<int> thread_owner(used.size(), WorkOwners::nobody);
  for (std::size_t thread = 0; thread < used.size(); ++thread) {
    if (!used[thread]) continue;
    const std::string_view process =
        process_of_thread(ranges.threads[static_cast<NameTable::Id>(thread)]);
    const auto [found, is_new] = number.try_emplace(process, static_cast<int>(processes.size()));
    if (is_new) processes.push_back(process);
    thread_owner[thread] = found->second;
  }
  std::vector<TracePart> whole;
  if (processes.size() > 1) {
    const WorkOwners owners = work_owners(record, thread_owner, static_cast<int>(processes.size()));
    const auto counts = owners.work_of_owners();
    if (std::ranges::count_if(counts, [](std::int64_t count) { return count > 0; }) > 1) {
      std::vector<std::string> names;
      for (const std::string_view process : processes) {
        names.push_back(name_of_process(record, process));
      }
      return parted(std::move(record), owners, names);
    }
  }
  whole.push_back({std::move(record), {}});
  return whole;
}

/// Threads by what they mark and launch: owners of those that do both; fewer than two where their
/// steps are not at the same time.
std::vector<NameTable::Id> threads_with_steps(const Timeline& timeline) {
  const std::vector<StepRange> marks = step_ranges(timeline);
  if (!are_of_several_threads(marks)) return {};
  std::set<NameTable::Id> launching;
  for (const DeviceWork& work : timeline.work) {
    if (work.call != DeviceWork::none) launching.insert(timeline.trace->ranges.thread[work.call]);
  }
  std::vector<NameTable::Id> threads;
  for (const StepRange& mark : marks) {
    if (launching.contains(mark.thread) &&
        std::ranges::find(threads, mark.thread) == threads.end()) {
      threads.push_back(mark.thread);
    }
  }
  return threads;
}

/// Ranges of threads without steps go where most of their work went.
void give_ranges(const Timeline& timeline, WorkOwners& owners) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  std::map<NameTable::Id, std::map<int, std::int64_t>> votes;
  for (const DeviceWork& work : timeline.work) {
    if (work.call == DeviceWork::none) continue;
    const int owner = (work.kind == WorkKind::kernel ? owners.kernels : owners.copies)[work.row];
    ++votes[ranges.thread[work.call]][owner];
  }
  for (std::size_t row = 0; row < ranges.size(); ++row) {
    if (owners.ranges[row] != WorkOwners::nobody || !is_of_host(ranges.kind[row])) continue;
    const auto found = votes.find(ranges.thread[row]);
    if (found == votes.end()) continue;
    owners.ranges[row] =
        std::ranges::max_element(found->second, {}, [](auto& each) { return each.second; })->first;
  }
}

/// A part for each thread that marks steps.
std::vector<TracePart> by_thread(TracePart part) {
  std::vector<TracePart> whole;
  std::optional<WorkOwners> owners;
  std::vector<std::string> names;
  {
    const Timeline timeline(part.record);
    const std::vector<NameTable::Id> threads = threads_with_steps(timeline);
    if (threads.size() > 1) {
      const NameTable& labels = part.record.trace->ranges.threads;
      std::vector<int> thread_owner(labels.size(), WorkOwners::nobody);
      for (std::size_t i = 0; i < threads.size(); ++i) {
        thread_owner[threads[i]] = static_cast<int>(i);
        const std::string thread = format("thread {}", labels[threads[i]]);
        names.push_back(part.name.empty() ? thread : format("{}, {}", part.name, thread));
        std::ranges::replace(names.back(), '/', ':');
      }
      owners = work_owners(part.record, thread_owner, static_cast<int>(threads.size()));
      const auto is_known = [](int owner) { return owner != WorkOwners::nobody; };
      if (std::ranges::all_of(owners->kernels, is_known) &&
          std::ranges::all_of(owners->copies, is_known)) {
        give_ranges(timeline, *owners);
      } else {
        owners.reset();
      }
    }
  }
  if (owners) return parted(std::move(part.record), *owners, names);
  whole.push_back(std::move(part));
  return whole;
}

}  // namespace

std::vector<TracePart> parts_of(Record record) {
  std::vector<TracePart> parts;
  const bool one = !record.trace || !record.kernels || !record::facts_of(*record.trace).processes;
  if (one) {
    parts.push_back({std::move(record), {}});
    return parts;
  }
  for (TracePart& process : by_process(std::move(record))) {
    for (TracePart& part : by_thread(std::move(process))) parts.push_back(std::move(part));
  }
  if (parts.size() > 1) {
    parts.front().record.warnings.push_back({says.trace_of_processes, {parts.size()}});
  }
  return parts;
}

}  // namespace rooflab::trace
