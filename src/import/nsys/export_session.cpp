// What an export says of machine and session. Everything here is optional: tables came and went
// with the versions of nsys.
//
//   GPUs   TARGET_INFO_GPU; before mid 2021 TARGET_INFO_CUDA_GPU, with other names of columns
//   which GPU a process calls cuda:0   TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid), else the
//          column cuDevice, else the GPU's own number
//   environment variables of the program (DeviceEnvironment) are never read: they hold secrets
//
// Source: the user guide of Nsight Systems, "SQLite Schema Reference".

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>

#include "base/format.hpp"
#include "export_tables.hpp"

namespace rooflab::import::nsys {
namespace {

constexpr std::int64_t most_small = std::numeric_limits<int>::max();

/// Calls `use(name, value)` for every row of a table of names and values.
void for_each_value(ExportTables& tables, std::string_view table, auto&& use) {
  constexpr std::array<std::string_view, 2> columns = {"name", "value"};
  Rows rows(tables.database, table, columns, tables.record.lost);
  while (rows.next()) {
    const std::string name = rows.text_or_number(0);
    use(name, rows.text_or_number(1));
  }
}

void read_capture(ExportTables& tables) {
  // PROCESS_0:COMMAND, PROCESS_0:ARGUMENT_0, PROCESS_0:ARGUMENT_1, ...
  constexpr std::string_view first = "PROCESS_0:";
  constexpr std::string_view argument = "ARGUMENT_";
  std::string command;
  std::map<std::int64_t, std::string> arguments;
  for_each_value(tables, "META_DATA_CAPTURE", [&](std::string_view name, const std::string& value) {
    if (!name.starts_with(first)) return;
    name.remove_prefix(first.size());
    if (name == "COMMAND") command = value;
    if (!name.starts_with(argument)) return;
    const auto number = parse_integer(name.substr(argument.size()));
    if (number) arguments[*number] = value;
  });
  if (command.empty()) return;
  tables.processes.first_name = std::filesystem::path(command).filename().string();
  std::vector<std::string> words = {command};
  for (auto& [number, word] : arguments) words.push_back(std::move(word));
  tables.record.identity.command = shell_line(words);
}

struct Gpu {
  record::TraceDevice device;
  std::string uuid;
  std::optional<std::int64_t> cuda_number;
};

std::vector<Gpu> gpus_of(ExportTables& tables) {
  struct Source {
    std::string_view table;
    std::array<std::string_view, 10> columns;
  };
  enum : std::size_t { id, name, memory, major, minor, sms, warps, threads, uuid, cuda };
  // The older table has threads for each multiprocessor where the newer has warps.
  static constexpr std::array sources = std::to_array<Source>({
      {"TARGET_INFO_GPU",
       {"id", "name", "totalMemory", "computeMajor", "computeMinor", "smCount", "maxWarpsPerSm",
        "threadsPerWarp", "uuid", "cuDevice"}},
      {"TARGET_INFO_CUDA_GPU",
       {"deviceId", "name", "globalMemorySize", "computeCapabilityMajor", "computeCapabilityMinor",
        "numMultiprocessors", "maxWarpsPerMultiprocessor", "numThreadsPerWarp", "uuid", ""}},
  });
  std::vector<Gpu> gpus;
  for (const Source& source : sources) {
    Rows rows(tables.database, source.table, source.columns, tables.record.lost);
    while (rows.next()) {
      const auto number = rows.integer(id, 0, most_small);
      if (!number) continue;
      Gpu gpu;
      gpu.device.id = static_cast<int>(*number);
      gpu.device.name = rows.text(name);
      gpu.device.memory_bytes = rows.integer(memory, 1, std::numeric_limits<std::int64_t>::max());
      constexpr std::int64_t most_version = 1000;
      const auto major_version = rows.integer(major, 0, most_version);
      const auto minor_version = rows.integer(minor, 0, most_version);
      // A GPU that CUDA did not see has 0 there.
      if (major_version && minor_version && *major_version > 0) {
        gpu.device.compute_capability = format("{}.{}", *major_version, *minor_version);
      }
      const auto multiprocessors = rows.integer(sms, 0, most_small);
      if (multiprocessors && *multiprocessors > 0) {
        gpu.device.multiprocessors = static_cast<int>(*multiprocessors);
      }
      constexpr std::int64_t most_warps = 1 << 14;
      const auto warp_count = rows.integer(warps, 0, most_warps);
      const auto warp_threads = rows.integer(threads, 0, most_warps);
      if (warp_count && warp_threads && *warp_count * *warp_threads > 0) {
        gpu.device.max_threads_per_multiprocessor = static_cast<int>(*warp_count * *warp_threads);
      }
      gpu.uuid = rows.text_or_number(uuid);
      if (rows.has(cuda)) gpu.cuda_number = rows.integer(cuda);
      gpus.push_back(std::move(gpu));
    }
    if (!gpus.empty()) break;
  }
  return gpus;
}

/// A GPU as one process knows it.
struct CudaDevice {
  std::int64_t gpu = 0;
  std::int64_t cuda = 0;
  std::int64_t pid = 0;
};

std::vector<CudaDevice> cuda_devices_of(ExportTables& tables) {
  constexpr std::array<std::string_view, 3> columns = {"gpuId", "cudaId", "pid"};
  Rows rows(tables.database, "TARGET_INFO_CUDA_DEVICE", columns, tables.record.lost);
  std::vector<CudaDevice> devices;
  while (rows.next()) {
    const auto gpu = rows.integer(0, 0, most_small);
    const auto cuda = rows.integer(1, 0, most_small);
    const auto pid = rows.integer(2);
    if (gpu && cuda && pid) devices.push_back({*gpu, *cuda, *pid});
  }
  return devices;
}

/// The processes that ran kernels.
std::set<std::int64_t> processes_with_kernels(const Database& database) {
  std::set<std::int64_t> ids;
  for (const std::string_view table : {kernel_table, graph_run_table}) {
    if (std::ranges::count(database.columns(table), "globalPid") == 0) continue;
    const Statement query =
        database.prepare(format("SELECT DISTINCT \"globalPid\" FROM \"{}\"", table));
    while (database.step(query.get())) {
      ids.insert(process_of(sqlite3_column_int64(query.get(), 0)));
    }
  }
  return ids;
}

}  // namespace

void read_session(ExportTables& tables) {
  record::Record& record = tables.record;
  std::string system;
  for_each_value(tables, "TARGET_INFO_SYSTEM_ENV",
                 [&](std::string_view name, const std::string& value) {
                   if (name == "Hostname") tables.processes.host = value;
                   if (name == "OsName") system = value + (system.empty() ? "" : " " + system);
                   if (name == "KernelVersion") system += (system.empty() ? "" : " ") + value;
                   if (name == "CpuCores") {
                     const auto count = parse_integer(value);
                     if (count && *count > 0 && *count <= most_small) {
                       record.environment.logical_cpus = static_cast<int>(*count);
                     }
                   }
                   if (name == "CudaDriverVersion" && !value.empty()) {
                     record.environment.libraries["cuda driver"] = value;
                   }
                 });
  record.environment.host = system;
  for_each_value(tables, "META_DATA_EXPORT", [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    if (name == "EXPORT_PRODUCT_VERSION") {
      record.environment.libraries["nsight systems"] = value;
    }
    if (name == "EXPORT_SCHEMA_VERSION") {
      record.environment.libraries["nsight systems schema"] = value;
    }
  });
  read_capture(tables);
  constexpr std::array<std::string_view, 2> process_columns = {"pid", "name"};
  Rows processes(tables.database, "PROCESSES", process_columns, record.lost);
  while (processes.next()) {
    const auto pid = processes.integer(0, 0, most_small);
    const std::string name(processes.text(1));
    if (pid && !name.empty()) {
      tables.processes.names[*pid] = std::filesystem::path(name).filename().string();
    }
  }
  constexpr std::array<std::string_view, 1> start_columns = {"utcEpochNs"};
  Rows start(tables.database, "TARGET_INFO_SESSION_START_TIME", start_columns, record.lost);
  constexpr std::int64_t most_unix_ns = 4'000'000'000'000'000'000;  // 2096
  if (start.next()) record.trace->base_ns = start.integer(0, 0, most_unix_ns).value_or(0);
}

void read_devices(ExportTables& tables) {
  std::vector<Gpu> gpus = gpus_of(tables);
  std::vector<CudaDevice> numbered = cuda_devices_of(tables);
  std::set<std::int64_t> processes;
  for (const CudaDevice& each : numbered) processes.insert(each.pid);
  if (processes.size() > 1) processes = processes_with_kernels(tables.database);
  if (processes.size() > 1) {
    for (const CudaDevice& each : numbered) {
      tables.gpu_of_cuda_device[{each.pid, each.cuda}] = each.gpu;
    }
    numbered.clear();
  } else if (processes.size() == 1) {
    std::erase_if(numbered, [&](const CudaDevice& each) { return each.pid != *processes.begin(); });
  }
  std::vector<record::TraceDevice>& devices = tables.record.trace->devices;
  for (Gpu& gpu : gpus) {
    const auto cuda = std::ranges::find(numbered, gpu.device.id, &CudaDevice::gpu);
    if (!numbered.empty()) {
      if (cuda == numbered.end()) continue;  // the program does not see it
      gpu.device.id = static_cast<int>(cuda->cuda);
    } else if (tables.gpu_of_cuda_device.empty() && gpu.cuda_number && *gpu.cuda_number >= 0 &&
               *gpu.cuda_number <= most_small) {
      gpu.device.id = static_cast<int>(*gpu.cuda_number);
    }
    if (std::ranges::find(devices, gpu.device.id, &record::TraceDevice::id) != devices.end()) {
      continue;
    }
    tables.uuids[gpu.device.id] = std::move(gpu.uuid);
    devices.push_back(std::move(gpu.device));
  }
}

}  // namespace rooflab::import::nsys
