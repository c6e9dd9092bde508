// Numbers were rounded for people: 3 decimals of a megabyte are 500 bytes more or less. A size that
// was rounded to nothing is unknown, because it need not be zero.

#include "gpu_trace_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "copy_name.hpp"
#include "import/kineto/token.hpp"
#include "import/trace_record.hpp"
#include "record/nccl_kernel.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::import {
namespace {

constexpr std::int64_t most_id = std::numeric_limits<std::int32_t>::max();

}  // namespace

using record::KernelFigure;

GpuTraceRows::GpuTraceRows(record::TraceSource source) {
  record_.trace.emplace().profiler = record::name_of(source);
  record_.trace->ranges.arguments.intern("");
  record_.kernels.emplace();
}

std::string_view GpuTraceRows::field(Column column) const {
  const GpuTraceHeader::Place* const place = (*header_)[column];
  return place != nullptr && place->field < fields_.size() ? trim(fields_[place->field])
                                                           : std::string_view();
}

std::optional<double> GpuTraceRows::number(Column column, double most) {
  const std::string_view text = field(column);
  if (text.empty()) return std::nullopt;
  const auto value = parse_number(text);
  if (value && std::isfinite(*value) && *value >= 0.0 && *value <= most) return value;
  lose("values that are not numbers, or out of their range");
  return std::nullopt;
}

std::int64_t GpuTraceRows::integer(Column column, std::int64_t most) {
  const std::string_view text = field(column);
  if (text.empty()) return 0;
  const auto value = parse_integer(text);
  if (value && *value >= 0 && *value <= most) return *value;
  lose("values that are not whole numbers, or out of their range");
  return 0;
}

std::optional<double> GpuTraceRows::size(Column column) {
  constexpr double most = 1e15;
  const auto value = number(column, most);
  if (!value) return std::nullopt;
  const GpuTraceHeader::Place& place = *(*header_)[column];
  if (*value == 0.0 && !place.exact_zero) return std::nullopt;
  return std::round(*value * place.scale);
}

std::optional<std::int64_t> GpuTraceRows::time_ns(Column column, std::int64_t least) {
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

record::Extent GpuTraceRows::extent(Column first) {
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
std::int32_t GpuTraceRows::device() {
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

void GpuTraceRows::add_kernel(std::string_view name, std::int64_t start_ns,
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
void GpuTraceRows::add_copy(std::string_view what, std::int64_t start_ns,
                            std::int64_t duration_ns) {
  record::CopyEvent copy;
  constexpr std::string_view copying = "memcpy";
  const bool copies = what.starts_with(copying);
  const std::string from = kineto::valid_utf8(memory_kind(field(Column::source)));
  const std::string to = kineto::valid_utf8(memory_kind(field(Column::destination)));
  std::string name = fill_name(from.empty() ? to : from);
  if (copies) {
    const std::string_view direction = what.substr(copying.size());
    name = copy_name(kineto::valid_utf8(copy_direction(trim(direction))), from, to);
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
/// were rounded also need the number of the call.
bool GpuTraceRows::is_there(std::int64_t start_ns, std::int64_t duration_ns) {
  constexpr double nanosecond = 1e-9;
  // What cannot be read is counted where the row is taken.
  const auto quiet = [&](Column column) { return parse_integer(field(column)).value_or(0); };
  const std::int64_t call = quiet(Column::correlation);
  const bool exact = (*header_)[Column::start]->scale <= nanosecond && duration_ns > 0;
  if (call == 0 && !exact) return false;
  return !rows_.insert({start_ns, duration_ns, device(), quiet(Column::stream), call}).second;
}

void GpuTraceRows::take(const GpuTraceHeader& header, std::span<const std::string_view> fields,
                        std::int64_t line) {
  header_ = &header;
  fields_ = fields;
  line_ = line;
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

record::Record GpuTraceRows::finished(const std::string& file) && {
  complete(record_, file, first_ns_, {});
  return std::move(record_);
}

}  // namespace rooflab::import
