#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "database.hpp"
#include "rooflab/record/record.hpp"

/// The tables of an export that become a record, a function each. The order of the calls is that of
/// the declarations: processes and devices are needed by what follows.
namespace rooflab::import::nsys {

/// Processes of a capture. Ids of threads hold that of their process in their upper bits.
class Processes {
 public:
  /// Its number, from 0 in the order in which they come; nullopt is the first one.
  [[nodiscard]] std::int64_t number_of(std::optional<std::int64_t> global_id);
  /// A number for what a call launched that no other process of the capture has: the driver counts
  /// in every process from 1. 0: not known.
  [[nodiscard]] std::int64_t correlation(Rows& rows, std::optional<std::int64_t> global_id,
                                         std::size_t column);
  [[nodiscard]] std::string label(std::optional<std::int64_t> global_id) const;
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

  std::map<std::int64_t, std::string> names;  ///< keys: process id; from PROCESSES
  std::string first_name;                     ///< the program that nsys started
  std::string host;

 private:
  std::unordered_map<std::int64_t, std::int64_t> numbers_;
};

/// Process id of a serialized id.
[[nodiscard]] std::int64_t process_of(std::int64_t global_id);

inline constexpr std::string_view kernel_table = "CUPTI_ACTIVITY_KIND_KERNEL";
inline constexpr std::string_view graph_run_table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
inline constexpr std::string_view copy_table = "CUPTI_ACTIVITY_KIND_MEMCPY";
inline constexpr std::string_view fill_table = "CUPTI_ACTIVITY_KIND_MEMSET";
inline constexpr std::string_view call_table = "CUPTI_ACTIVITY_KIND_RUNTIME";
inline constexpr std::string_view range_table = "NVTX_EVENTS";

/// What reading the tables shares.
struct ExportTables {
  const Database& database;
  StringTable& strings;
  record::Record& record;                  ///< with a trace and kernels
  std::function<void()> row_read = [] {};  ///< called for every row of the large tables
  Processes processes = {};
  /// Keys: process and its number of a device. Empty: devices have the numbers of the only process.
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpu_of_cuda_device = {};
  std::map<int, std::string> uuids = {};      ///< keys: number of a device
  std::optional<std::int64_t> first_ns = {};  ///< earliest time of an event
  std::int64_t graph_runs = 0;                ///< rows that stand for a whole CUDA graph
};

/// Host, names of processes, versions, the start of the clock, the command line.
void read_session(ExportTables& tables);
/// GPUs, by the numbers that the only process with kernels has for them; where several have
/// kernels, by those of Nsight Systems.
void read_devices(ExportTables& tables);
void read_kernels(ExportTables& tables);
/// Whole CUDA graphs, which nsys records instead of their kernels unless told otherwise.
void read_graph_runs(ExportTables& tables);
void read_copies(ExportTables& tables);
void read_calls(ExportTables& tables);
void read_ranges(ExportTables& tables);

/// A place in time; a missing part was not recorded, or is lost.
struct EventTime {
  std::optional<std::int64_t> start_ns;
  std::optional<std::int64_t> duration_ns;
};

/// The columns `start` and `end`, which every table of events has first.
[[nodiscard]] EventTime time_of(Rows& rows, ExportTables& tables);

/// The number of the device that an event of the process ran on; 0, and a loss, where the column
/// holds something else.
[[nodiscard]] std::int32_t device_of(Rows& rows, std::size_t column,
                                     std::optional<std::int64_t> global_pid,
                                     const ExportTables& tables);

/// Numbers of names for numbers of texts: a text is looked up once.
class NameNumbers {
 public:
  NameNumbers(StringTable& strings, record::NameTable& names) : strings_(strings), names_(names) {}

  /// nullopt: the table lacks it. `change` makes the name of it.
  [[nodiscard]] std::optional<record::NameTable::Id> of(
      std::int64_t id, std::string (*change)(std::string_view) = nullptr);

 private:
  StringTable& strings_;
  record::NameTable& names_;
  std::unordered_map<std::int64_t, std::optional<record::NameTable::Id>> known_;
};

}  // namespace rooflab::import::nsys
