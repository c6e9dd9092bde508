// The CSV of `nsys stats --report cuda_gpu_trace --format csv`: a row for each kernel, copy and
// fill. On stdout nsys prints what it does before the table, and other reports around it; a file of
// its --output begins with the header. So lines are passed over until one is the header of such a
// table, an empty line ends it, and rows begin with a digit.
//
// The head of a column is a word and its unit: `Start (ns)`, `StcSMem (MB)`. The unit follows what
// the user asked for.

#include <algorithm>

#include "import/csv_records.hpp"
#include "import/gpu_trace/gpu_trace_rows.hpp"
#include "import/import_notes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

constexpr GpuTraceForm nsys_form = {{"start", "duration", "corrid", "grdx", "grdy", "grdz", "blkx",
                                     "blky", "blkz", "reg/trd", "stcsmem", "dymsmem", "bytes",
                                     "srcmemkd", "dstmemkd", "device", "strm", "name"}};

/// `Start (ns)` as `start` and `ns`.
ColumnHead head_of(std::string_view field) {
  const std::string text = lowercase(trim(field));
  const std::size_t open = text.find('(');
  if (open == std::string::npos || !text.ends_with(')')) return {text, ""};
  return {std::string(trim(std::string_view(text).substr(0, open))),
          std::string(trim(std::string_view(text).substr(open + 1, text.size() - open - 2)))};
}

std::vector<ColumnHead> heads_of(std::span<const std::string_view> fields) {
  std::vector<ColumnHead> heads;
  for (const std::string_view field : fields) heads.push_back(head_of(field));
  return heads;
}

/// The header of another report of `nsys stats`.
bool is_header_of_sums(std::span<const ColumnHead> heads) {
  return std::ranges::find(heads, "total time", &ColumnHead::name) != heads.end();
}

bool begins_row(std::string_view line) {
  return is_digit(line.front()) || line.front() == '-' ||
         (line.size() > 1 && line.front() == '"' && is_digit(line[1]));
}

record::Record read_gpu_trace(ByteSource& source, const std::string& file,
                              const ImportOptions& options) {
  CsvRecords records(source, options);
  GpuTraceRows rows(record::TraceSource::nsight_systems);
  std::optional<GpuTraceHeader> header;  // of the current table; nullopt between tables
  bool had_header = false;
  bool had_sums = false;
  while (records.next()) {
    if (records.line().empty()) {
      header.reset();
      continue;
    }
    if (records.split()) {
      if (header && begins_row(records.line())) {
        rows.take(*header, records.fields(), records.number());
        records.take();
        continue;
      }
      const std::vector<ColumnHead> heads = heads_of(records.fields());
      const auto found = GpuTraceHeader::from(heads, nsys_form);
      const bool sums = is_header_of_sums(heads);
      if (found || sums) {
        header = found;
        had_header = had_header || found;
        had_sums = had_sums || !found;
        records.take();
        continue;
      }
    }
    if (header) rows.lose("lines that are not rows of the table", records.number());
  }
  const std::string hint =
      "nsys stats --report cuda_gpu_trace --format csv FILE.nsys-rep > FILE.csv makes one";
  const Location place{file, {}, {}, {}};
  if (!had_header) {
    throw Error(ErrorKind::input,
                had_sums ? "the CSV has sums of nsys stats, not a row for each kernel"
                         : "this is not CSV of Nsight Systems: no line has the columns Start,"
                           " Duration and Name",
                hint, place);
  }
  if (!rows.has_kernels()) {
    throw Error(ErrorKind::input, "the table holds no GPU kernels: was --trace=cuda on?",
                "nsys profile --trace=cuda,nvtx PROGRAM records them", place);
  }
  record::Record record = std::move(rows).finished(file);
  record.warnings.insert(record.warnings.begin(), Note{says.calls_not_recorded});
  return record;
}

}  // namespace

record::Record read_nsys_csv(const std::filesystem::path& path, const ImportOptions& options) {
  ByteSource source(path, "CSV of Nsight Systems");
  return read_gpu_trace(source, path.string(), options);
}

record::Record read_nsys_csv_text(std::string_view text, const std::string& file) {
  ByteSource source(text);
  return read_gpu_trace(source, file, {});
}

}  // namespace rooflab::import
