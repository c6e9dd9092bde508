// An export of Nsight Systems is an SQLite database: a table for each kind of event, its texts in
// StringIds, and also facts of machine and session. Tables are created when their first row
// comes, columns come and go with the versions of nsys; so whatever is missing is unknown, and only
// an export without any kernel is an error.
//
// Rows are read one by one, in the order of the file: memory holds the columns of the record and
// SQLite's cache of pages. The file is not trusted: see database.hpp.

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "database.hpp"
#include "export_tables.hpp"
#include "import/trace_record.hpp"
#include "notes/import_notes.hpp"
#include "record/trace_source.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

constexpr std::array event_tables = {nsys::kernel_table, nsys::graph_run_table, nsys::copy_table,
                                     nsys::fill_table,   nsys::call_table,      nsys::range_table};

/// Some table says that nsys made the database.
bool is_of_nsys(const nsys::Database& database) {
  constexpr std::array others = {"StringIds", "TARGET_INFO_GPU", "TARGET_INFO_SYSTEM_ENV",
                                 "META_DATA_EXPORT", "ANALYSIS_DETAILS"};
  const auto has = [&](std::string_view table) { return database.has(table); };
  return std::ranges::any_of(event_tables, has) || std::ranges::any_of(others, has);
}

/// Tells from time to time how many of the rows were read.
class RowProgress {
 public:
  RowProgress(const nsys::Database& database, const ImportOptions& options) : options_(options) {
    for (const std::string_view table : event_tables) expected_ += database.expected_rows(table);
  }
  void row_read() {
    constexpr std::size_t rows_a_message = 1 << 16;
    if (++read_ % rows_a_message != 0 || !options_.progress || expected_ == 0) return;
    options_.progress(std::min(1.0, static_cast<double>(read_) / static_cast<double>(expected_)));
  }

 private:
  const ImportOptions& options_;
  std::size_t expected_ = 0;
  std::size_t read_ = 0;
};

}  // namespace

record::Record read_nsys_export(const std::filesystem::path& path, const ImportOptions& options) {
  const nsys::Database database(path);
  if (!is_of_nsys(database)) {
    throw database.error("this is an SQLite database, but not an export of Nsight Systems",
                         "nsys export --type sqlite FILE.nsys-rep makes one");
  }
  nsys::StringTable strings(database);
  record::Record record;
  record.trace.emplace().profiler = record::name_of(record::TraceSource::nsight_systems);
  record.trace->ranges.arguments.intern("");
  record.kernels.emplace();
  RowProgress progress(database, options);
  nsys::ExportTables tables{database, strings, record, [&progress] { progress.row_read(); }};
  read_session(tables);
  read_devices(tables);
  read_kernels(tables);
  read_graph_runs(tables);
  if (record.kernels->empty()) {
    throw database.error("the export holds no GPU kernels: was --trace=cuda on?",
                         "nsys profile --trace=cuda,nvtx PROGRAM records them");
  }
  read_copies(tables);
  read_calls(tables);
  read_ranges(tables);
  if (tables.graph_runs > 0) record.warnings.push_back({says.graphs_as_one, {tables.graph_runs}});
  if (std::ranges::count(record.trace->ranges.kind, record::RangeKind::runtime) == 0) {
    record.warnings.push_back({says.calls_not_recorded});
  }
  complete(record, path.string(), tables.first_ns, tables.uuids);
  return record;
}

record::Record read_nsys_report(const std::filesystem::path& path,
                                const ImportOptions& /*options*/) {
  const std::string file = path.string();
  throw Error(ErrorKind::input,
              "this is a report of Nsight Systems, in its own format: convert it first",
              format("nsys export --type sqlite {} writes {}, which rooflab import reads",
                     shell_line({file}), shell_line({path.stem().string() + ".sqlite"})),
              {file, {}, {}, {}});
}

}  // namespace rooflab::import
