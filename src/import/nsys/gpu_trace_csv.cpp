// The CSV of `nsys stats --report cuda_gpu_trace --format csv`: a row for each kernel, copy and
// fill. On stdout nsys prints what it does before the table, and other reports around it; a file of
// its --output begins with the header. So lines are passed over until one is the header of such a
// table, an empty line ends it, and rows begin with a digit.
//
// Numbers were rounded for people: 3 decimals of a megabyte are 500 bytes more or less. A size that
// was rounded to nothing is unknown, because it need not be zero.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "copy_name.hpp"
#include "gpu_trace_header.hpp"
#include "import/kineto/token.hpp"
#include "import/ncu/field_splitter.hpp"
#include "import/ncu/log_buffer.hpp"
#include "notes/import_notes.hpp"
#include "record/nccl_kernel.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/readers.hpp"
#include "trace_record.hpp"

namespace rooflab::import {
namespace {

using nsys::GpuTraceHeader;
using record::KernelFigure;

class GpuTraceReader {
 public:
  GpuTraceReader(ByteSource& source, const ImportOptions& options)
      : source_(source), options_(options), buffer_(source) {
    record_.trace.emplace().profiler = record::nsight_systems;
    record_.trace->ranges.arguments.intern("");
    record_.kernels.emplace();
  }

  record::Record read(const std::string& file);

 private:
  using Column = nsys::GpuTraceColumn;
  static constexpr std::int64_t most_id = std::numeric_limits<std::int32_t>::max();

  bool take_line();
  void take_record();
  void take_row(std::span<const std::string_view> fields);
  void lose(std::string_view what) {
    record::count_loss(record_.lost, what, format("line {}", line_));
  }

  [[nodiscard]] std::string_view field(Column column) const;
  [[nodiscard]] std::optional<double> number(Column column, double most);
  [[nodiscard]] std::int64_t integer(Column column, std::int64_t most);
  [[nodiscard]] std::optional<double> size(Column column);
  [[nodiscard]] std::optional<std::int64_t> time_ns(Column column, std::int64_t least);
  [[nodiscard]] record::Extent extent(Column first);
  [[nodiscard]] std::int32_t device();
  [[nodiscard]] bool is_there(std::int64_t start_ns, std::int64_t duration_ns);
  void add_kernel(std::string_view name, std::int64_t start_ns, std::int64_t duration_ns);
  void add_copy(std::string_view what, std::int64_t start_ns, std::int64_t duration_ns);

  ByteSource& source_;
  const ImportOptions& options_;
  ncu::LogBuffer buffer_;
  ncu::FieldSplitter splitter_;
  record::Record record_;
  std::optional<GpuTraceHeader> header_;  ///< the current table's; nullopt between tables
  std::span<const std::string_view> fields_;
  std::int64_t line_ = 1;  ///< on which the record begins
  std::int64_t next_line_ = 1;
  std::optional<std::int64_t> first_ns_;
  /// Start, duration, device, stream and correlation of every row.
  std::set<std::array<std::int64_t, 5>> rows_;
  bool had_header_ = false;
  bool had_sums_ = false;
};

std::string_view GpuTraceReader::field(Column column) const {
  const GpuTraceHeader::Place* const place = (*header_)[column];
  return place != nullptr && place->field < fields_.size() ? trim(fields_[place->field])
                                                           : std::string_view();
}

std::optional<double> GpuTraceReader::number(Column column, double most) {
  const std::string_view text = field(column);
  if (text.empty()) return std::nullopt;
  const auto value = parse_number(text);
  if (value && std::isfinite(*value) && *value >= 0.0 && *value <= most) return value;
  lose("values that are not numbers, or out of their range");
  return std::nullopt;
}

std::int64_t GpuTraceReader::integer(Column column, std::int64_t most) {
  const std::string_view text = field(column);
  if (text.empty()) return 0;
  const auto value = parse_integer(text);
  if (value && *value >= 0 && *value <= most) return *value;
  lose("values that are not whole numbers, or out of their range");
  return 0;
}

std::optional<double> GpuTraceReader::size(Column column) {
  constexpr double most = 1e15;
  const auto value = number(column, most);
  if (!value) return std::nullopt;
  const GpuTraceHeader::Place& place = *(*header_)[column];
  if (*value == 0.0 && !place.whole_bytes) return std::nullopt;
  return std::round(*value * place.scale);
}

std::optional<std::int64_t> GpuTraceReader::time_ns(Column column, std::int64_t least) {
  constexpr double most_ns = 1e16;  // 115 days
  const auto value = parse_number(field(column));
  constexpr double nanoseconds = 1e9;
  const double time = value.value_or(0.0) * (*header_)[column]->scale * nanoseconds;
  if (!value || !std::isfinite(time) || std::abs(time) > most_ns ||
      time < static_cast<double>(least)) {
    lose("rows without a start or duration that is a number");
    return std::nullopt;
  }
  return std::llround(time);
}

record::Extent GpuTraceReader::extent(Column first) {
  record::Extent extent{};
  for (std::size_t i = 0; i < extent.size(); ++i) {
    const auto column = static_cast<Column>(static_cast<std::size_t>(first) + i);
    if (field(column).empty()) return {};
    extent[i] =
        static_cast<std::uint32_t>(integer(column, std::numeric_limits<std::uint32_t>::max()));
    if (extent[i] == 0) return {};  // nothing that runs has it
  }
  return extent;
}

/// `NVIDIA A100-SXM4-80GB (0)` is device 0.
std::int32_t GpuTraceReader::device() {
  std::string_view name = field(Column::device);
  std::int32_t number = 0;
  const std::size_t open = name.rfind('(');
  if (name.ends_with(')') && open != std::string_view::npos) {
    const auto told = parse_integer(name.substr(open + 1, name.size() - open - 2));
    if (told && *told >= 0 && *told <= most_id) {
      number = static_cast<std::int32_t>(*told);
      name = trim(name.substr(0, open));
    }
  }
  std::vector<record::TraceDevice>& devices = record_.trace->devices;
  constexpr std::size_t most_devices = 1024;  // a hostile file's; a machine has a few
  if (!name.empty() && devices.size() < most_devices &&
      std::ranges::find(devices, number, &record::TraceDevice::id) == devices.end()) {
    record::TraceDevice device;
    device.id = number;
    device.name = kineto::valid_utf8(name);
    devices.push_back(std::move(device));
  }
  return number;
}

void GpuTraceReader::add_kernel(std::string_view name, std::int64_t start_ns,
                                std::int64_t duration_ns) {
  record::KernelTable& kernels = *record_.kernels;
  record::KernelLaunch launch;
  launch.name = kernels.names.intern(kineto::valid_utf8(name));
  launch.process = kernels.processes.intern("trace");
  launch.launch = integer(Column::correlation, std::numeric_limits<std::int64_t>::max());
  launch.device = device();
  launch.stream = static_cast<std::int32_t>(integer(Column::stream, most_id));
  launch.grid = extent(Column::grid_x);
  launch.block = extent(Column::block_x);
  launch.start_ns = start_ns;
  const std::size_t row = kernels.add(launch);
  constexpr double nanoseconds = 1e9;
  kernels.set(KernelFigure::time_s, row, static_cast<double>(duration_ns) / nanoseconds);
  constexpr double most_registers = 65536.0;
  if (const auto count = number(Column::registers, most_registers)) {
    kernels.set(KernelFigure::registers_per_thread, row, *count);
  }
  const auto fixed = size(Column::static_memory);
  const auto dynamic = size(Column::dynamic_memory);
  if (fixed && dynamic) kernels.set(KernelFigure::shared_memory_bytes, row, *fixed + *dynamic);
  record::add_collective(record_.trace->communications, kernels.names[launch.name], start_ns,
                         duration_ns);
}

/// `what`: `memcpy Host-to-Device`, `memset`.
void GpuTraceReader::add_copy(std::string_view what, std::int64_t start_ns,
                              std::int64_t duration_ns) {
  record::CopyEvent copy;
  constexpr std::string_view copying = "memcpy";
  const bool copies = what.starts_with(copying);
  const std::string from = kineto::valid_utf8(nsys::memory_kind(field(Column::source)));
  const std::string to = kineto::valid_utf8(nsys::memory_kind(field(Column::destination)));
  std::string name = nsys::fill_name(from.empty() ? to : from);
  if (copies) {
    const std::string_view direction = what.substr(copying.size());
    name = nsys::copy_name(kineto::valid_utf8(nsys::copy_direction(trim(direction))), from, to);
  }
  copy.kind = copies ? record::CopyKind::memcpy : record::CopyKind::memset;
  copy.name = record_.trace->copy_names.intern(name);
  copy.device = device();
  copy.stream = static_cast<std::int32_t>(integer(Column::stream, most_id));
  copy.start_ns = start_ns;
  copy.duration_ns = duration_ns;
  if (const auto amount = size(Column::bytes)) copy.bytes = static_cast<std::int64_t>(*amount);
  copy.correlation = integer(Column::correlation, std::numeric_limits<std::int64_t>::max());
  record_.trace->copies.push_back(copy);
}

/// Whether an earlier row is of the same piece of work: a stream begins one at a time. Times that
/// were rounded need the number of the call beside them.
bool GpuTraceReader::is_there(std::int64_t start_ns, std::int64_t duration_ns) {
  constexpr double nanosecond = 1e-9;
  // What cannot be read is counted where the row is taken.
  const auto quiet = [&](Column column) { return parse_integer(field(column)).value_or(0); };
  const std::int64_t call = quiet(Column::correlation);
  const bool exact = (*header_)[Column::start]->scale <= nanosecond && duration_ns > 0;
  if (call == 0 && !exact) return false;
  return !rows_.insert({start_ns, duration_ns, device(), quiet(Column::stream), call}).second;
}

void GpuTraceReader::take_row(std::span<const std::string_view> fields) {
  fields_ = fields;
  if (fields.size() != header_->fields()) {
    return lose("rows with more or fewer fields than the header");
  }
  const std::string_view name = field(Column::name);
  if (name.empty()) return lose("rows without a name");
  constexpr std::int64_t earliest = -1'000'000'000'000'000;  // before the session began
  const auto start_ns = time_ns(Column::start, earliest);
  const auto duration_ns = start_ns ? time_ns(Column::duration, 0) : std::nullopt;
  if (!start_ns || !duration_ns) return;
  if (is_there(*start_ns, *duration_ns)) return lose("rows that the file has twice, counted once");
  first_ns_ = std::min(first_ns_.value_or(*start_ns), *start_ns);
  constexpr std::string_view operation = "[CUDA mem";
  if (name.starts_with(operation) && name.ends_with(']')) {
    constexpr std::string_view prefix = "[CUDA ";
    add_copy(name.substr(prefix.size(), name.size() - prefix.size() - 1), *start_ns, *duration_ns);
  } else {
    add_kernel(name, *start_ns, *duration_ns);
  }
}

/// Takes what begins at the buffer's start: a line, or a record of several.
void GpuTraceReader::take_record() {
  const std::string_view rest = buffer_.rest();
  const std::string_view text = trim(rest.substr(0, rest.find('\n')));
  const auto skip_line = [&] {
    const std::size_t end = rest.find('\n');
    buffer_.consume(end == std::string_view::npos ? rest.size() : end + 1);
    next_line_ = line_ + 1;
  };
  if (text.empty()) {
    header_.reset();
    return skip_line();
  }
  const bool is_row = header_ && (is_digit(text.front()) || text.front() == '-' ||
                                  (text.size() > 1 && text.front() == '"' && is_digit(text[1])));
  const ncu::SplitStatus status = splitter_.split(rest, buffer_.ended());
  if (status != ncu::SplitStatus::complete) {
    if (header_) lose("lines that are not rows of the table");
    return skip_line();
  }
  if (is_row) {
    take_row(splitter_.fields());
  } else if (auto header = GpuTraceHeader::from(splitter_.fields())) {
    header_ = header;
    had_header_ = true;
  } else if (nsys::is_header_of_sums(splitter_.fields())) {
    header_.reset();
    had_sums_ = true;
  } else {
    if (header_) lose("lines that are not rows of the table");
    return skip_line();
  }
  buffer_.consume(splitter_.bytes());
  next_line_ = line_ + std::max<std::int64_t>(splitter_.line_feeds(), 1);
}

/// False at the end.
bool GpuTraceReader::take_line() {
  // A whole record must be there: a name may hold line feeds.
  constexpr std::size_t longest_record = std::size_t{1} << 20;
  while (!buffer_.ended() && buffer_.rest().size() < longest_record) {
    if (!buffer_.fill() && buffer_.rest().size() >= ncu::LogBuffer::capacity) break;
    if (options_.progress) options_.progress(source_.done());
  }
  if (buffer_.rest().empty()) return false;
  line_ = next_line_;
  take_record();
  return true;
}

record::Record GpuTraceReader::read(const std::string& file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  (void)buffer_.fill();
  if (buffer_.rest().starts_with(byte_order_mark)) buffer_.consume(byte_order_mark.size());
  while (take_line()) {
  }
  const std::string hint =
      "nsys stats --report cuda_gpu_trace --format csv FILE.nsys-rep > FILE.csv makes one";
  const Location place{file, {}, {}, {}};
  if (!had_header_) {
    throw Error(ErrorKind::input,
                had_sums_ ? "the CSV has sums of nsys stats, not a row for each kernel"
                          : "this is not CSV of Nsight Systems: no line has the columns Start,"
                            " Duration and Name",
                hint, place);
  }
  if (record_.kernels->empty()) {
    throw Error(ErrorKind::input, "the table holds no GPU kernels: was --trace=cuda on?",
                "nsys profile --trace=cuda,nvtx PROGRAM records them", place);
  }
  record_.warnings.push_back({says.calls_not_recorded});
  nsys::complete(record_, file, first_ns_, {});
  return std::move(record_);
}

}  // namespace

record::Record read_nsys_csv(const std::filesystem::path& path, const ImportOptions& options) {
  ByteSource source(path, "CSV of Nsight Systems");
  return GpuTraceReader(source, options).read(path.string());
}

record::Record read_nsys_csv_text(std::string_view text, const std::string& file) {
  ByteSource source(text);
  const ImportOptions options;
  return GpuTraceReader(source, options).read(file);
}

}  // namespace rooflab::import
