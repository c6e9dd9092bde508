// Calls of the CUDA runtime and driver, and NVTX ranges.
//
// A call's name loses the version that nsys writes behind it (`cudaLaunchKernel_v7000`). Of
// NVTX_EVENTS the pushed ranges (type 59) and those with a handle (type 60) are kept, as
// annotations; marks, names of domains, threads and categories are passed over.
// Source: the user guide of Nsight Systems, "SQLite Schema Reference", ENUM_NSYS_EVENT_TYPE.

#include <array>
#include <limits>

#include "base/format.hpp"
#include "export_tables.hpp"

namespace rooflab::import::nsys {
namespace {

using record::RangeKind;

/// `cudaLaunchKernel_v7000` is cudaLaunchKernel.
std::string without_version(std::string_view name) {
  const std::size_t version = name.rfind("_v");
  if (version == std::string_view::npos || version + 2 == name.size()) return std::string(name);
  const bool digits = name.find_first_not_of("0123456789", version + 2) == std::string_view::npos;
  return std::string(digits ? name.substr(0, version) : name);
}

/// Labels of threads: events of a thread come in runs.
class Threads {
 public:
  explicit Threads(record::NameTable& labels) : labels_(labels) {}

  record::NameTable::Id of(std::optional<std::int64_t> global_tid) {
    if (global_tid == last_ && known_) return id_;
    last_ = global_tid;
    known_ = true;
    constexpr std::int64_t thread_mask = (1 << 24) - 1;
    id_ = labels_.intern(global_tid
                             ? format("{}/{}", process_of(*global_tid), *global_tid & thread_mask)
                             : std::string("(thread not recorded)"));
    return id_;
  }

 private:
  record::NameTable& labels_;
  std::optional<std::int64_t> last_;
  record::NameTable::Id id_ = 0;
  bool known_ = false;
};

struct HostRange {
  RangeKind kind = RangeKind::runtime;
  record::NameTable::Id name = 0;
  record::NameTable::Id thread = 0;
  EventTime time;  ///< both parts are there
  std::int64_t correlation = 0;
};

void add_range(record::RangeTable& ranges, const HostRange& range) {
  ranges.kind.push_back(range.kind);
  ranges.name.push_back(range.name);
  ranges.thread.push_back(range.thread);
  ranges.argument.push_back(0);
  ranges.start_ns.push_back(*range.time.start_ns);
  ranges.duration_ns.push_back(*range.time.duration_ns);
  ranges.external_id.push_back(0);
  ranges.correlation.push_back(range.correlation);
  ranges.sequence.push_back(-1);
}

}  // namespace

void read_calls(ExportTables& tables) {
  enum : std::size_t { tid = 2, correlation, name };
  constexpr std::array<std::string_view, 5> columns = {"start", "end", "globalTid", "correlationId",
                                                       "nameId"};
  record::RangeTable& ranges = tables.record.trace->ranges;
  ranges.reserve(tables.database.expected_rows(call_table));
  Rows rows(tables.database, call_table, columns, tables.record.lost);
  NameNumbers names(tables.strings, ranges.names);
  Threads threads(ranges.threads);
  while (rows.next()) {
    tables.row_read();
    const EventTime time = time_of(rows, tables);
    if (!time.start_ns || !time.duration_ns) {
      rows.lose("calls without a place in time");
      continue;
    }
    const auto text = rows.integer(name);
    auto id = text ? names.of(*text, without_version) : std::nullopt;
    if (!id) {
      rows.lose("calls without a name");
      id = ranges.names.intern("(call without a name)");
    }
    const auto global_tid = rows.integer(tid);
    add_range(ranges, {RangeKind::runtime, *id, threads.of(global_tid), time,
                       tables.processes.correlation(rows, global_tid, correlation)});
  }
}

void read_ranges(ExportTables& tables) {
  enum : std::size_t { tid = 2, type, text, text_id };
  constexpr std::array<std::string_view, 6> columns = {"start",     "end",  "globalTid",
                                                       "eventType", "text", "textId"};
  constexpr std::int64_t pushed = 59;
  constexpr std::int64_t with_handle = 60;
  record::RangeTable& ranges = tables.record.trace->ranges;
  Rows rows(tables.database, range_table, columns, tables.record.lost);
  NameNumbers names(tables.strings, ranges.names);
  Threads threads(ranges.threads);
  while (rows.next()) {
    tables.row_read();
    const auto event_type = rows.integer(type);
    if (event_type && *event_type != pushed && *event_type != with_handle) continue;
    const EventTime time = time_of(rows, tables);
    if (!time.start_ns || !time.duration_ns) {
      // Without a type it may be a mark.
      if (event_type) rows.lose("NVTX ranges without an end");
      continue;
    }
    std::optional<record::NameTable::Id> id;
    if (const std::string_view own = rows.text(text); !own.empty()) {
      id = ranges.names.intern(own);
    } else if (const auto number = rows.integer(text_id)) {
      id = names.of(*number);
    }
    if (!id) {
      rows.lose("NVTX ranges without a text");
      continue;
    }
    add_range(ranges, {RangeKind::annotation, *id, threads.of(rows.integer(tid)), time, 0});
  }
}

}  // namespace rooflab::import::nsys
