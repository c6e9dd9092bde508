// Kernels, runs of whole CUDA graphs, copies and fills.
//
// A kernel keeps its row without a time that was not recorded or is lost, because its launch is a
// separate fact; a copy without a place in time is lost. Shared memory is static and dynamic
// memory together; where one is missing, the sum is unknown.

#include <array>
#include <limits>

#include "base/format.hpp"
#include "export_tables.hpp"
#include "import/gpu_trace/copy_name.hpp"
#include "record/nccl_kernel.hpp"

namespace rooflab::import::nsys {
namespace {

using record::KernelFigure;

struct KernelColumn {
  enum : std::size_t {
    start,
    end,
    pid,
    correlation,
    device,
    stream,
    demangled_name,
    short_name,
    mangled_name,
    registers,
    static_memory,
    dynamic_memory,
    grid_x,
    block_x = grid_x + 3,
    count = block_x + 3,
  };
};
constexpr std::array<std::string_view, KernelColumn::count> columns_of_kernels = {
    "start",
    "end",
    "globalPid",
    "correlationId",
    "deviceId",
    "streamId",
    "demangledName",
    "shortName",
    "mangledName",
    "registersPerThread",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ"};

/// {0, 0, 0} where a part is not known, or is 0, which nothing that runs has.
record::Extent extent_of(Rows& rows, std::size_t column) {
  record::Extent extent{};
  for (std::size_t i = 0; i < extent.size(); ++i) {
    const auto size = rows.integer(column + i, 0, std::numeric_limits<std::uint32_t>::max());
    if (!size || *size == 0) return {};
    extent[i] = static_cast<std::uint32_t>(*size);
  }
  return extent;
}

/// Labels of processes: kernels of a process come in runs.
class ProcessLabels {
 public:
  explicit ProcessLabels(ExportTables& tables) : tables_(tables) {}

  record::NameTable::Id of(std::optional<std::int64_t> global_pid) {
    if (!known_ || global_pid != last_) {
      last_ = global_pid;
      known_ = true;
      id_ = tables_.record.kernels->processes.intern(tables_.processes.label(global_pid));
    }
    return id_;
  }

 private:
  ExportTables& tables_;
  std::optional<std::int64_t> last_;
  record::NameTable::Id id_ = 0;
  bool known_ = false;
};

std::int32_t stream_of(Rows& rows, std::size_t column) {
  return static_cast<std::int32_t>(
      rows.integer(column, 0, std::numeric_limits<std::int32_t>::max()).value_or(0));
}

record::NameTable::Id kernel_name(Rows& rows, NameNumbers& names, record::KernelTable& kernels) {
  for (const std::size_t column :
       {KernelColumn::demangled_name, KernelColumn::short_name, KernelColumn::mangled_name}) {
    const auto id = rows.has(column) ? rows.integer(column) : std::nullopt;
    if (!id) continue;
    if (const auto name = names.of(*id)) return *name;
  }
  rows.lose("kernels without a name");
  return kernels.names.intern("(kernel without a name)");
}

void set_time(record::KernelTable& kernels, std::size_t row, const EventTime& time) {
  constexpr double nanoseconds = 1e9;
  if (!time.duration_ns) return;
  kernels.set(KernelFigure::time_s, row, static_cast<double>(*time.duration_ns) / nanoseconds);
}

/// A column whose numbers the enum of the same export explains, else the documented one.
class EnumWords {
 public:
  EnumWords(ExportTables& tables, std::string_view table) {
    constexpr std::array<std::string_view, 3> columns = {"id", "name", "label"};
    Rows rows(tables.database, table, columns, tables.record.lost);
    while (rows.next()) {
      const auto id = rows.integer(0);
      std::string word(rows.text(1));
      if (word.empty()) word = rows.text(2);
      if (id && !word.empty()) words_[*id] = std::move(word);
    }
  }
  [[nodiscard]] std::string of(std::optional<std::int64_t> number) const {
    if (!number) return {};
    const auto word = words_.find(*number);
    return word != words_.end() ? word->second : format("{}", *number);
  }

 private:
  std::map<std::int64_t, std::string> words_;
};

/// A copy or fill with what both have; nullopt without a place in time.
struct DeviceEvent {
  record::CopyEvent event;
  bool placed = false;
};

DeviceEvent copy_of(Rows& rows, ExportTables& tables) {
  enum : std::size_t { pid = 2, correlation, device, stream, bytes };
  DeviceEvent result;
  const EventTime time = time_of(rows, tables);
  if (!time.start_ns || !time.duration_ns) {
    rows.lose("copies and fills without a place in time");
    return result;
  }
  const auto global_pid = rows.integer(pid);
  record::CopyEvent& event = result.event;
  event.start_ns = *time.start_ns;
  event.duration_ns = *time.duration_ns;
  event.correlation = tables.processes.correlation(rows, global_pid, correlation);
  event.device = device_of(rows, device, global_pid, tables);
  event.stream = stream_of(rows, stream);
  event.bytes = rows.integer(bytes, 0, std::numeric_limits<std::int64_t>::max()).value_or(-1);
  result.placed = true;
  return result;
}

}  // namespace

void read_kernels(ExportTables& tables) {
  record::KernelTable& kernels = *tables.record.kernels;
  kernels.reserve(tables.database.expected_rows(kernel_table));
  Rows rows(tables.database, kernel_table, columns_of_kernels, tables.record.lost);
  NameNumbers names(tables.strings, kernels.names);
  ProcessLabels processes(tables);
  constexpr std::int64_t most_memory = std::int64_t{1} << 40;
  while (rows.next()) {
    tables.row_read();
    const EventTime time = time_of(rows, tables);
    const auto global_pid = rows.integer(KernelColumn::pid);
    record::KernelLaunch launch;
    launch.start_ns = time.start_ns;
    launch.launch = tables.processes.correlation(rows, global_pid, KernelColumn::correlation);
    launch.process = processes.of(global_pid);
    launch.device = device_of(rows, KernelColumn::device, global_pid, tables);
    launch.stream = stream_of(rows, KernelColumn::stream);
    launch.grid = extent_of(rows, KernelColumn::grid_x);
    launch.block = extent_of(rows, KernelColumn::block_x);
    launch.name = kernel_name(rows, names, kernels);
    const std::size_t row = kernels.add(launch);
    set_time(kernels, row, time);
    if (const auto count = rows.integer(KernelColumn::registers, 0, most_memory)) {
      kernels.set(KernelFigure::registers_per_thread, row, static_cast<double>(*count));
    }
    const auto fixed = rows.integer(KernelColumn::static_memory, 0, most_memory);
    const auto dynamic = rows.integer(KernelColumn::dynamic_memory, 0, most_memory);
    if (fixed && dynamic) {
      kernels.set(KernelFigure::shared_memory_bytes, row, static_cast<double>(*fixed + *dynamic));
    }
    if (time.start_ns && time.duration_ns) {
      record::add_collective(tables.record.trace->communications, kernels.names[launch.name],
                             *time.start_ns, *time.duration_ns);
    }
  }
}

void read_graph_runs(ExportTables& tables) {
  enum : std::size_t { pid = 2, correlation, device, stream, graph };
  constexpr std::array<std::string_view, 7> columns = {
      "start", "end", "globalPid", "correlationId", "deviceId", "streamId", "graphId"};
  record::KernelTable& kernels = *tables.record.kernels;
  Rows rows(tables.database, graph_run_table, columns, tables.record.lost);
  ProcessLabels processes(tables);
  while (rows.next()) {
    tables.row_read();
    const EventTime time = time_of(rows, tables);
    const auto global_pid = rows.integer(pid);
    record::KernelLaunch launch;
    launch.start_ns = time.start_ns;
    launch.launch = tables.processes.correlation(rows, global_pid, correlation);
    launch.process = processes.of(global_pid);
    launch.device = device_of(rows, device, global_pid, tables);
    launch.stream = stream_of(rows, stream);
    const auto number = rows.integer(graph);
    launch.name = kernels.names.intern(number ? format("(CUDA graph {})", *number)
                                              : std::string("(CUDA graph)"));
    set_time(kernels, kernels.add(launch), time);
    ++tables.graph_runs;
  }
}

void read_copies(ExportTables& tables) {
  record::Trace& trace = *tables.record.trace;
  const EnumWords directions(tables, "ENUM_CUDA_MEMCPY_OPER");
  const EnumWords memories(tables, "ENUM_CUDA_MEM_KIND");
  enum : std::size_t { direction = 7, from, to };
  constexpr std::array<std::string_view, 10> copy_columns = {
      "start",    "end",   "globalPid", "correlationId", "deviceId",
      "streamId", "bytes", "copyKind",  "srcKind",       "dstKind"};
  Rows copies(tables.database, copy_table, copy_columns, tables.record.lost);
  // Few combinations of many copies: each name is made once.
  using Kinds = std::array<std::optional<std::int64_t>, 3>;
  std::map<Kinds, record::NameTable::Id> names;
  while (copies.next()) {
    tables.row_read();
    DeviceEvent copy = copy_of(copies, tables);
    if (!copy.placed) continue;
    const Kinds kinds = {copies.integer(direction), copies.integer(from), copies.integer(to)};
    const auto [known, is_new] = names.try_emplace(kinds);
    if (is_new) {
      const auto memory = [&](std::size_t i) { return memory_kind(memories.of(kinds[i])); };
      known->second = trace.copy_names.intern(
          copy_name(copy_direction(directions.of(kinds[0])), memory(1), memory(2)));
    }
    copy.event.kind = record::CopyKind::memcpy;
    copy.event.name = known->second;
    trace.copies.push_back(copy.event);
  }
  enum : std::size_t { memory = 7 };
  constexpr std::array<std::string_view, 8> fill_columns = {
      "start", "end", "globalPid", "correlationId", "deviceId", "streamId", "bytes", "memKind"};
  Rows fills(tables.database, fill_table, fill_columns, tables.record.lost);
  while (fills.next()) {
    tables.row_read();
    DeviceEvent fill = copy_of(fills, tables);
    if (!fill.placed) continue;
    fill.event.kind = record::CopyKind::memset;
    fill.event.name =
        trace.copy_names.intern(fill_name(memory_kind(memories.of(fills.integer(memory)))));
    trace.copies.push_back(fill.event);
  }
}

}  // namespace rooflab::import::nsys
