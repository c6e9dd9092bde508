#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// A process of a trace file.
struct TraceProcess {
  std::string name;  ///< name in viewers: `resnet18 on cuda:0, batch 8, training, tf32`
  const Record& record;
  /// Names of the rows of device work, by stream; a stream without a name is called `cuda:0, stream
  /// 7`.
  std::map<std::int32_t, std::string> streams = {};
};

/// Writes timelines in the Trace Event Format, as docs/formats/trace_output.md describes: for
/// ui.perfetto.dev and chrome://tracing, and read back by import::read_kineto_trace(). A row of the
/// viewer is a thread of the host or a stream of a device; events of one row that overlap without
/// nesting go to a separate row below. Events are written one by one; memory holds an index of the
/// process that is being written.
class TraceEventWriter {
 public:
  /// Begins the file. `about`: a sentence that describes the rows. `zero_ns`, on the clock of Unix
  /// time where the records have it, becomes 0 in the file: earliest_ns() of all records, so that
  /// times keep their nanoseconds in viewers that count in doubles of microseconds.
  TraceEventWriter(std::ostream& stream, std::string_view about, std::int64_t zero_ns);
  TraceEventWriter(const TraceEventWriter&) = delete;
  TraceEventWriter& operator=(const TraceEventWriter&) = delete;
  ~TraceEventWriter() = default;

  /// Writes the ranges, kernels and copies of a record. Kernels without a start or a time are left
  /// out and counted.
  void add(const TraceProcess& process);
  /// Ends the file with devices, ranks, and the number of left-out events.
  void finish();

 private:
  class Rows;

  void event(std::string_view text);
  void metadata(std::string_view what, int row, std::string_view key, std::string_view value);
  /// Writes an event with its end; `name` has its quotes.
  void complete_event(std::string_view category, std::string_view name, int row,
                      std::int64_t start_ns, std::int64_t duration_ns, std::string_view arguments);
  void add_ranges(const Record& record, Rows& rows);
  void add_work(const TraceProcess& process, Rows& rows);
  /// Writes an arrow to work on the device from the range in row `from_row` that launched it.
  void arrow(int from_row, std::int64_t from_ns, int to_row, std::int64_t to_ns);

  std::ostream& stream_;
  std::int64_t zero_ns_;
  std::int64_t shift_ns_ = 0;  ///< from the current record's clock to the file's
  int process_ = 0;
  std::int64_t arrows_ = 0;
  bool has_events_ = false;
  std::int64_t without_time_ = 0;
  std::vector<TraceDevice> devices_;
  std::optional<int> rank_;
  std::optional<int> world_size_;
  std::string backend_;
};

/// The earliest start of a range, kernel or copy, plus the trace's base_ns; nullopt: the record has
/// no events.
[[nodiscard]] std::optional<std::int64_t> earliest_ns(const Record& record);

}  // namespace rooflab::record
