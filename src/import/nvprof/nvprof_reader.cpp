// The CSV of nvprof, which CUDA had before Nsight: a GPU trace (nvprof --print-gpu-trace --csv) or
// a summary (nvprof --csv), printed on stderr or into a --log-file. Around the tables are lines of
// nvprof, which begin with == and the number of the process, and the program's own output.
//
//   ==417== Profiling result:
//   "Start","Duration","Grid X",...,"Device","Context","Stream","Name"
//   s,ms,,,,,,,,B,KB,MB,GB/s,,,,
//   0.866586,168.281164,,,,,,,,,,64.000000,0.371402,"GeForce GTX 1080 Ti (0)","1","7",
//     "[CUDA memcpy HtoD]"
//   1.034913,0.187331,64,1,1,256,1,1,10,0,1.000000,,,"GeForce GTX 1080 Ti (0)","1","7",
//     "void reduce6<int, unsigned int=256>(int*, int*) [1098]"
//
// The units are those of the largest value, so each table has others. KB is 1024 bytes. The number
// in brackets is that of the call which launched the kernel; a table with the column
// Correlation_ID has it there. nvprof writes a decimal point in every locale; numbers with a comma
// come from other programs, and make rows wider than the header.
//
// When it misleads: starts have six decimals of their unit, which are microseconds where it is s.

#include <algorithm>

#include "base/format.hpp"
#include "import/csv_records.hpp"
#include "import/gpu_trace/gpu_trace_rows.hpp"
#include "notes/import_notes.hpp"
#include "record/trace_device.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "summary_rows.hpp"
#include "table_head.hpp"

namespace rooflab::import {
namespace {

using nvprof::SummaryColumns;
using nvprof::TableKind;

constexpr GpuTraceForm nvprof_form = {
    {"start", "duration", "correlation_id", "grid x", "grid y", "grid z", "block x", "block y",
     "block z", "registers per thread", "static smem", "dynamic smem", "size", "srcmemtype",
     "dstmemtype", "device", "stream", "name"},
    6};
/// Other columns of a GPU trace, of which nothing is kept.
constexpr std::string_view other_columns[] = {"throughput",     "context",        "src dev",
                                              "src ctx",        "dst dev",        "dst ctx",
                                              "unified memory", "virtual address"};

constexpr std::string_view how_to =
    "nvprof --print-gpu-trace --csv --log-file FILE.csv PROGRAM writes one";

class NvprofReader {
 public:
  NvprofReader(ByteSource& source, const std::string& file, const ImportOptions& options)
      : file_(file), records_(source, options), trace_(record::TraceSource::nvprof) {}

  record::Record read();

 private:
  [[noreturn]] void fail(const std::string& what, std::string_view hint) const;
  void take_message(std::string_view line);
  void take_record();
  void take_row(std::span<const std::string_view> fields);
  void take_trace_row(std::span<const std::string_view> fields);
  void begin_table(TableKind kind);
  void begin_trace();
  void begin_summary();
  [[nodiscard]] std::size_t column(std::string_view name) const;
  [[nodiscard]] double unit_of(std::size_t column) const;
  void lose(std::string_view what) { trace_.lose(what, records_.number()); }
  [[noreturn]] void fail_without_kernels() const;
  record::Record finished();

  const std::string& file_;
  CsvRecords records_;
  // The table that is read.
  std::optional<TableKind> table_;
  std::vector<ColumnHead> heads_;
  std::size_t width_ = 0;  ///< fields of a row
  std::optional<GpuTraceHeader> header_;
  SummaryColumns columns_;
  // What nvprof's lines say of it.
  std::string process_;
  bool of_calls_ = false;
  bool of_ranges_ = false;  ///< tables of NVTX ranges repeat work of the others

  GpuTraceRows trace_;
  nvprof::SummaryRows summary_;
  std::optional<std::string> traced_process_;
  std::optional<TableKind> other_table_;  ///< one that is not read
  std::int64_t rows_ = 0;
  std::int64_t wide_rows_ = 0;  ///< with more fields than the header
  bool for_terminals_ = false;  ///< a table without commas
  std::string command_;
  std::vector<std::string> warnings_;
};

void NvprofReader::fail(const std::string& what, std::string_view hint) const {
  throw Error(ErrorKind::input, what, std::string(hint),
              {file_, static_cast<int>(records_.number()), {}, {}});
}

std::size_t NvprofReader::column(std::string_view name) const {
  if (const auto found = nvprof::column_of(heads_, name)) return *found;
  fail(format("the table of nvprof lacks the column '{}'", name), how_to);
}

double NvprofReader::unit_of(std::size_t column) const {
  if (const auto seconds = seconds_of(heads_[column].unit)) return *seconds;
  fail(format("the unit '{}' of the column '{}' is not one of time", heads_[column].unit,
              heads_[column].name),
       "the row below the header names the units: s, ms, us or ns");
}

/// A line of nvprof itself: `==417== Profiling result:`.
void NvprofReader::take_message(std::string_view line) {
  table_.reset();
  const std::size_t number = line.find_first_not_of('=');
  if (number == std::string_view::npos) return;
  // Of a profile that was read from a file: `======== Profiling result:`.
  const std::size_t end = number == 2 ? line.find("==", number) : number;
  if (end == std::string_view::npos) return;
  process_ = std::string(line.substr(number, end - number));
  std::string_view text = line.substr(end);
  text.remove_prefix(std::min(text.find_first_not_of("= "), text.size()));
  const auto begins = [&](std::string_view words) { return text.starts_with(words); };
  constexpr std::string_view application = "Profiling application: ";
  if (begins(application)) command_ = text.substr(application.size());
  if (begins("Profiling result")) of_calls_ = of_ranges_ = false;
  if (begins("API calls")) of_calls_ = true;
  if (begins("NVTX result")) of_ranges_ = true;
  constexpr std::size_t most_warnings = 8;
  const bool warns = begins("Warning: ") || begins("Error: ");
  if (warns && warnings_.size() < most_warnings) warnings_.emplace_back(text);
}

void NvprofReader::begin_trace() {
  (void)column("name");
  (void)unit_of(column("start"));
  (void)unit_of(column("duration"));
  if (traced_process_ && (*traced_process_ != process_ || process_.empty())) {
    fail("a second GPU trace begins here: each process has its own clock",
         "nvprof --log-file run.%p.csv writes a file for each process");
  }
  traced_process_ = process_;
  if (!nvprof::column_of(heads_, "correlation_id")) heads_.push_back({"correlation_id", ""});
  header_ = GpuTraceHeader::from(heads_, nvprof_form);
  for (const ColumnHead& head : heads_) {
    const auto known = std::ranges::find(nvprof_form.columns, head.name);
    const bool is_read = known != nvprof_form.columns.end();
    const auto read = static_cast<GpuTraceColumn>(known - nvprof_form.columns.begin());
    if (is_read && !head.unit.empty() && (*header_)[read] == nullptr) {
      lose("columns whose unit is not known");
    }
    if (!is_read && std::ranges::find(other_columns, head.name) == std::end(other_columns)) {
      lose("columns that are not known");
    }
  }
}

void NvprofReader::begin_summary() {
  columns_.type = nvprof::column_of(heads_, "type");
  columns_.time = column("time");
  columns_.calls = column("calls");
  columns_.shortest = column("min");
  columns_.longest = column("max");
  columns_.name = column("name");
  columns_.time_unit_s = unit_of(columns_.time);
  columns_.shortest_unit_s = unit_of(columns_.shortest);
  columns_.longest_unit_s = unit_of(columns_.longest);
}

/// Reads the header, which was split, and the row of units behind it.
void NvprofReader::begin_table(TableKind kind) {
  table_.reset();
  std::vector<std::string> names;
  for (const std::string_view name : records_.fields()) names.emplace_back(name);
  width_ = names.size();
  records_.take();
  if (kind == TableKind::call_trace || kind == TableKind::counters) {
    other_table_ = kind;
    return;
  }
  if (!records_.next() || !records_.split() || records_.fields().size() != names.size()) {
    fail("the row of units that follows the header is missing or has other columns", how_to);
  }
  heads_ = nvprof::heads_of(std::vector<std::string_view>(names.begin(), names.end()),
                            records_.fields());
  records_.take();
  if (kind == TableKind::gpu_trace) {
    begin_trace();
  } else {
    begin_summary();
  }
  table_ = kind;
}

/// `name(int*) [1098]` as the name and the number of its call.
std::pair<std::string_view, std::string_view> without_number(std::string_view name) {
  const std::size_t open = name.rfind(" [");
  if (open == std::string_view::npos || !name.ends_with(']')) return {name, {}};
  const std::string_view number = name.substr(open + 2, name.size() - open - 3);
  if (!parse_integer(number)) return {name, {}};
  return {name.substr(0, open), number};
}

void NvprofReader::take_trace_row(std::span<const std::string_view> fields) {
  std::vector<std::string_view> row(fields.begin(), fields.end());
  std::string_view& name = row[(*header_)[GpuTraceColumn::name]->field];
  const auto is_blank = [&](GpuTraceColumn which) {
    const GpuTraceHeader::Place* const place = (*header_)[which];
    return place == nullptr || trim(fields[place->field]).empty();
  };
  if (name.starts_with("[Unified Memory")) return lose("events of unified memory, not read");
  if (is_blank(GpuTraceColumn::device) && is_blank(GpuTraceColumn::grid_x) &&
      !name.starts_with("[")) {
    return lose("rows of calls of CUDA, not read");
  }
  const auto [plain, number] = without_number(name);
  name = plain;
  if (row.size() < header_->fields()) row.push_back(number);
  trace_.take(*header_, row, records_.number());
}

void NvprofReader::take_row(std::span<const std::string_view> fields) {
  ++rows_;
  if (fields.size() != width_) {
    if (fields.size() > width_) ++wide_rows_;
    return lose("rows with more or fewer fields than the header");
  }
  if (table_ == TableKind::gpu_trace) return take_trace_row(fields);
  if (of_ranges_) return lose("sums of NVTX ranges, which other rows have");
  const std::string_view lack = summary_.take(columns_, fields, of_calls_, process_);
  if (!lack.empty()) lose(lack);
}

void NvprofReader::take_record() {
  const std::string_view line = records_.line();
  if (line.empty()) return table_.reset();
  if (line.starts_with("==")) return take_message(line);
  if (!records_.split()) {
    if (table_) lose("lines that are not rows of the table");
    return;
  }
  if (const auto kind = nvprof::table_kind_of(records_.fields())) return begin_table(*kind);
  if (!table_) {
    for_terminals_ = for_terminals_ || line.find("Time(%)  ") != std::string_view::npos ||
                     line.starts_with("Start  Duration");
    return;
  }
  if (records_.fields().size() == 1) {
    // `No API activities were profiled.`
    if (!line.starts_with("No ")) lose("lines that are not rows of the table");
    return;
  }
  take_row(records_.fields());
  records_.take();
}

void NvprofReader::fail_without_kernels() const {
  const Location place{file_, {}, {}, {}};
  if (rows_ > 0 && wide_rows_ == rows_) {
    throw Error(ErrorKind::input, "every row has more fields than the header of its table",
                "numbers with a decimal comma are not read: nvprof itself writes a point", place);
  }
  if (traced_process_ || rows_ > 0) {
    throw Error(ErrorKind::input, "the tables of nvprof hold no GPU kernels",
                "nvprof loses what is in its buffers when a program ends: call cudaDeviceReset() or"
                " cudaProfilerStop() before",
                place);
  }
  if (other_table_) {
    throw Error(ErrorKind::input,
                *other_table_ == TableKind::counters
                    ? "this is a table of metrics or events of nvprof, which is not read"
                    : "this is nvprof's trace of the calls of CUDA, without kernels",
                std::string(how_to), place);
  }
  throw Error(ErrorKind::input,
              for_terminals_ ? "this is nvprof's text for terminals, not CSV"
                             : "this is not CSV of nvprof: no line has the columns of a GPU trace"
                               " or of a summary",
              for_terminals_ ? "nvprof --csv PROGRAM prints the same as CSV" : std::string(how_to),
              place);
}

record::Record NvprofReader::finished() {
  if (!trace_.has_kernels() && !summary_.has_kernels()) fail_without_kernels();
  const bool traced = trace_.has_kernels();
  record::Record record = std::move(trace_).finished(file_);
  if (!traced) {
    record.trace.reset();
    record.kernels = std::move(summary_).kernels();
    record::set_device_of_kernels(record);
  }
  record.warnings.insert(record.warnings.begin(),
                         Note{traced ? says.calls_not_recorded : says.sums_of_launches});
  summary_.add_notes(record.warnings);
  for (std::string& text : warnings_) record.warnings.push_back({says.nvprof_warned, {text}});
  record.identity.command = std::move(command_);
  return record;
}

record::Record NvprofReader::read() {
  while (records_.next()) take_record();
  return finished();
}

}  // namespace

record::Record read_nvprof(const std::filesystem::path& path, const ImportOptions& options) {
  ByteSource source(path, "CSV of nvprof");
  return NvprofReader(source, path.string(), options).read();
}

record::Record read_nvprof_text(std::string_view text, const std::string& file) {
  ByteSource source(text);
  return NvprofReader(source, file, {}).read();
}

}  // namespace rooflab::import
