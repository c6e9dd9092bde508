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

/// Functions that read the tables of an export into a record, one per table. They must be called in
/// the order of their declarations, because the later ones need processes and devices.
namespace rooflab::import::nsys {

/// Processes of a capture. Ids of threads have the id of their process in their upper bits.
class Processes {
 public:
  /// Number of a process, from 0 in order of appearance; nullopt is the first one.
  [[nodiscard]] std::int64_t number_of(std::optional<std::int64_t> global_id);
  /// Number of a launch that is unique in the capture (the driver counts from 1 in every process).
  /// 0: not known.
  [[nodiscard]] std::int64_t correlation(Rows& rows, std::optional<std::int64_t> global_id,
                                         std::size_t column);
  [[nodiscard]] std::string label(std::optional<std::int64_t> global_id) const;
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

  std::map<std::int64_t, std::string> names;  ///< keys: process id; from PROCESSES
  std::string first_name;                     ///< name of the program that nsys started
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

/// Common state of reading the tables.
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
  std::int64_t graph_runs = 0;                ///< rows that represent a whole CUDA graph
};

/// Reads host, names of processes, versions, the start of the clock, and the command line.
void read_session(ExportTables& tables);
/// Reads GPUs with the numbers of the only process that has kernels; if several have kernels, with
/// the numbers of Nsight Systems.
void read_devices(ExportTables& tables);
void read_kernels(ExportTables& tables);
/// Reads whole CUDA graphs, which nsys records by default instead of their kernels.
void read_graph_runs(ExportTables& tables);
void read_copies(ExportTables& tables);
void read_calls(ExportTables& tables);
void read_ranges(ExportTables& tables);

/// Start and end of an event; a missing part was not recorded, or is lost.
struct EventTime {
  std::optional<std::int64_t> start_ns;
  std::optional<std::int64_t> duration_ns;
};

/// Reads the columns `start` and `end`, which are first in every table of events.
[[nodiscard]] EventTime time_of(Rows& rows, ExportTables& tables);

/// Number of the device that ran an event of the process; 0 and a loss where the column has another
/// value.
[[nodiscard]] std::int32_t device_of(Rows& rows, std::size_t column,
                                     std::optional<std::int64_t> global_pid,
                                     const ExportTables& tables);

/// Converts numbers of texts to numbers of names; each text is looked up once.
class NameNumbers {
 public:
  NameNumbers(StringTable& strings, record::NameTable& names) : strings_(strings), names_(names) {}

  /// Name of a text; nullopt: the table lacks it. `change` converts the text to the name.
  [[nodiscard]] std::optional<record::NameTable::Id> of(
      std::int64_t id, std::string (*change)(std::string_view) = nullptr);

 private:
  StringTable& strings_;
  record::NameTable& names_;
  std::unordered_map<std::int64_t, std::optional<record::NameTable::Id>> known_;
};

}  // namespace rooflab::import::nsys
