// From an event's fields to a row of the record.
//
// An event whose place in time is not known gives no range, copy or message; a kernel keeps its
// row, without the start or time that is missing, because its launch is a separate fact. An
// argument that cannot be read is lost alone. Times are decimal microseconds (whatever
// `displayTimeUnit` says, which is for viewers) and become whole nanoseconds digit by digit.
//
// Names and meanings of the arguments: libkineto/src/output_json.cpp and CuptiActivity.cpp, torch's
// profiler/collection.cpp and distributed/c10d/ParamCommsUtils.hpp.

#include "trace_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/format.hpp"
#include "record/nccl_kernel.hpp"
#include "token.hpp"

namespace rooflab::import::kineto {
namespace {

using record::KernelFigure;
using record::NameTable;
using record::RangeKind;

constexpr std::size_t longest_arguments = std::size_t{64} << 10U;

/// A list of lists of whole numbers at most `most` deep, so that a later reader cannot
/// trip: an op's shapes are one deep, those of a list of tensors two.
bool is_shapes(std::string_view text) {
  constexpr int most = 4;
  int depth = 0;
  for (const char c : text) {
    if (c == '[' && ++depth > most) return false;
    if (c == ']' && --depth < 0) return false;
    if (std::string_view("[]0123456789-, \n\t\r").find(c) == std::string_view::npos) return false;
  }
  return depth == 0 && text.starts_with('[');
}

/// Host ranges of communication: torch's record of a collective, what its backends call it, the op.
bool is_message_op(std::string_view name, bool says_collective) {
  if (name == "record_param_comms") return says_collective;
  return name.starts_with("nccl:") || name.starts_with("gloo:") || name.starts_with("ucc:") ||
         name.starts_with("mpi:") || name.starts_with("c10d::");
}

std::string_view behind_colons(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

}  // namespace

TraceBuilder::TraceBuilder(record::Record& record, LossCount& losses, const TextWindow& window)
    : trace_(*record.trace), kernels_(*record.kernels), losses_(losses), window_(window) {
  trace_.ranges.arguments.intern("");
}

void TraceBuilder::lose(LossKind kind) { losses_.add(kind, offset_); }

void TraceBuilder::invalid_event(std::size_t offset) {
  losses_.add(LossKind::invalid_event, window_.offset() + offset);
}

void TraceBuilder::event(EventFields& fields, std::size_t offset) {
  offset_ = window_.offset() + offset;
  if (fields.take_twice()) lose(LossKind::key_twice);
  switch (kind_of(fields)) {
    case EventKind::unused:
      return;
    case EventKind::op:
      return add_range(RangeKind::op, fields);
    case EventKind::annotation:
      return add_range(RangeKind::annotation, fields);
    case EventKind::device_annotation:
      return add_range(RangeKind::device_annotation, fields);
    case EventKind::runtime:
      return add_range(RangeKind::runtime, fields);
    case EventKind::overhead:
      return add_range(RangeKind::overhead, fields);
    case EventKind::kernel:
      return add_kernel(fields);
    case EventKind::memcpy:
      return add_copy(record::CopyKind::memcpy, fields);
    case EventKind::memset:
      return add_copy(record::CopyKind::memset, fields);
    case EventKind::collective:
      if (const auto span = span_of(fields)) {
        add_message(fields, text(fields, Key::name), *span, true);
      }
      return;
    case EventKind::python:
      ++trace_.python_ranges;
      return;
    case EventKind::counter_range:
      return lose(LossKind::counter_range);
    case EventKind::memory:
      return add_allocation(fields);
    case EventKind::process_name:
      return name_process(fields);
    case EventKind::other:
      const std::string_view category = fields[Key::cat];
      return losses_.add_unknown(category.empty() ? fields[Key::ph] : category, offset_);
  }
}

std::optional<std::int64_t> TraceBuilder::start_of(const EventFields& fields) {
  if (!fields.has(Key::ts)) {
    lose(LossKind::no_time);
    return std::nullopt;
  }
  const auto start = nanoseconds_of(fields[Key::ts]);
  if (!start) {
    lose(LossKind::unreadable_time);
  } else if (!first_ns_ || *start < *first_ns_) {
    first_ns_ = start;
  }
  return start;
}

std::optional<std::int64_t> TraceBuilder::duration_of(const EventFields& fields) {
  if (!fields.has(Key::dur)) {
    lose(LossKind::no_duration);
    return std::nullopt;
  }
  const auto duration = nanoseconds_of(fields[Key::dur]);
  if (!duration) {
    lose(LossKind::unreadable_time);
  } else if (*duration < 0) {
    lose(LossKind::negative_duration);
    return std::nullopt;
  }
  return duration;
}

std::optional<TraceBuilder::Span> TraceBuilder::span_of(const EventFields& fields) {
  const auto start = start_of(fields);
  if (!start) return std::nullopt;
  const auto duration = duration_of(fields);
  if (!duration) return std::nullopt;
  return Span{*start, *duration};
}

std::int64_t TraceBuilder::integer(const EventFields& fields, Key key, std::int64_t otherwise) {
  if (!fields.has(key)) return otherwise;
  const auto value = integer_of(fields[key]);
  if (!value) lose(LossKind::unreadable_value);
  return value.value_or(otherwise);
}

std::int32_t TraceBuilder::small_integer(const EventFields& fields, Key key, Key instead) {
  if (!fields.has(key)) {  // a device event's pid and tid are its device and stream
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(integer_of(fields[instead]).value_or(0), 0, 1 << 30));
  }
  const std::int64_t value = integer(fields, key, 0);
  using Limits = std::numeric_limits<std::int32_t>;
  if (value < Limits::min() || value > Limits::max()) {
    lose(LossKind::unreadable_value);
    return 0;
  }
  return static_cast<std::int32_t>(value);
}

std::string_view TraceBuilder::text(const EventFields& fields, Key key) {
  return text_of(fields[key], scratch_);
}

record::Extent TraceBuilder::extent(const EventFields& fields, Key key) {
  record::Extent extent{};
  if (!fields.has(key)) return extent;
  std::string_view list = fields[key];
  const bool brackets = list.size() >= 2 && list.front() == '[' && list.back() == ']';
  list = brackets ? list.substr(1, list.size() - 2) : std::string_view();
  for (std::size_t i = 0; i < extent.size(); ++i) {
    const std::size_t comma = list.find(',');
    const auto value = integer_of(without_blanks(list.substr(0, comma)));
    const bool last = i + 1 == extent.size();
    if (!value || *value < 0 || *value > std::numeric_limits<std::uint32_t>::max() ||
        last != (comma == std::string_view::npos)) {
      lose(LossKind::unreadable_value);
      return {};
    }
    extent[i] = static_cast<std::uint32_t>(*value);
    if (!last) list.remove_prefix(comma + 1);
  }
  return extent;
}

NameTable::Id TraceBuilder::thread_of(const EventFields& fields) {
  const std::string_view pid = fields[Key::pid];
  const std::string_view tid = fields[Key::tid];
  for (const Thread& known : threads_) {
    if (known.tid == tid && known.pid == pid && !known.tid.empty()) return known.id;
  }
  std::string label(text(fields, Key::pid));
  label += '/';
  label += text(fields, Key::tid);
  Thread& place = threads_[next_thread_];
  next_thread_ = (next_thread_ + 1) % threads_.size();
  place = {std::string(pid), std::string(tid), trace_.ranges.threads.intern(label)};
  return place.id;
}

NameTable::Id TraceBuilder::arguments_of(const EventFields& fields) {
  if (!fields.has(Key::input_dims)) return 0;
  const std::string_view shapes = fields[Key::input_dims];
  const std::string_view types = fields[Key::input_type];
  if (shapes.size() + types.size() > longest_arguments || !is_shapes(shapes)) {
    lose(LossKind::long_argument);
    return 0;
  }
  arguments_ = shapes;
  arguments_ += '\n';
  arguments_ += types;
  // Convolutions have their strides there. Long lists (of tensors' values) are of no use.
  const std::string_view values = fields[Key::concrete_inputs];
  constexpr std::size_t longest_values = std::size_t{2} << 10U;
  if (!values.empty() && values.size() <= longest_values) {
    arguments_ += '\n';
    arguments_ += values;
  }
  return trace_.ranges.arguments.intern(arguments_);
}

void TraceBuilder::add_range(RangeKind kind, const EventFields& fields) {
  const auto span = span_of(fields);
  if (!span) return;
  record::RangeTable& ranges = trace_.ranges;
  if (host_pid_.empty() && (kind == RangeKind::op || kind == RangeKind::runtime)) {
    host_pid_ = text(fields, Key::pid);
  }
  ranges.kind.push_back(kind);
  ranges.thread.push_back(thread_of(fields));
  ranges.argument.push_back(kind == RangeKind::op ? arguments_of(fields) : 0);
  ranges.start_ns.push_back(span->start_ns);
  ranges.duration_ns.push_back(span->duration_ns);
  ranges.external_id.push_back(integer(fields, Key::external_id, 0));
  ranges.correlation.push_back(kind == RangeKind::runtime ? integer(fields, Key::correlation, 0)
                                                          : 0);
  ranges.sequence.push_back(kind == RangeKind::op ? integer(fields, Key::sequence, -1) : -1);
  const std::string_view name = text(fields, Key::name);
  ranges.name.push_back(ranges.names.intern(name));
  if ((kind == RangeKind::op || kind == RangeKind::annotation) &&
      is_message_op(name, fields.has(Key::collective))) {
    add_message(fields, behind_colons(name), *span, false);
  }
}

void TraceBuilder::set_figure(KernelFigure figure, std::size_t row, const EventFields& fields,
                              Key key, double scale, double most) {
  if (!fields.has(key)) return;
  const auto value = number_of(fields[key]);
  if (!value) return lose(LossKind::unreadable_value);
  // The profiler divides by the number of multiprocessors, which it may not know, and writes -100 %
  // where the occupancy calculator failed.
  if (!std::isfinite(*value) || *value < 0.0 || *value > most) return lose(LossKind::not_finite);
  kernels_.set(figure, row, *value * scale);
}

void TraceBuilder::add_kernel(const EventFields& fields) {
  const auto start = start_of(fields);
  const auto duration = duration_of(fields);
  record::KernelLaunch launch;
  launch.launch = integer(fields, Key::correlation, 0);
  launch.device = small_integer(fields, Key::device, Key::pid);
  launch.stream = small_integer(fields, Key::stream, Key::tid);
  launch.grid = extent(fields, Key::grid);
  launch.block = extent(fields, Key::block);
  launch.start_ns = start;
  launch.external_id = integer(fields, Key::external_id, 0);
  const std::string_view name = text(fields, Key::name);
  launch.name = kernels_.names.intern(name);
  const std::size_t row = kernels_.add(launch);
  constexpr double any = std::numeric_limits<double>::infinity();
  constexpr double percent = 100.0;
  constexpr double nanosecond = 1e9;
  if (duration) {
    kernels_.set(KernelFigure::time_s, row, static_cast<double>(*duration) / nanosecond);
  }
  set_figure(KernelFigure::blocks_per_sm, row, fields, Key::blocks_per_sm, 1.0, any);
  set_figure(KernelFigure::warps_per_sm, row, fields, Key::warps_per_sm, 1.0, any);
  set_figure(KernelFigure::occupancy, row, fields, Key::occupancy, 1.0 / percent, percent);
  set_figure(KernelFigure::registers_per_thread, row, fields, Key::registers, 1.0, any);
  set_figure(KernelFigure::shared_memory_bytes, row, fields, Key::shared_memory, 1.0, any);
  if (!record::is_nccl_kernel(name) && !fields.has(Key::collective)) return;
  if (!start || !duration) return;
  if (launch.external_id == 0 && launch.launch != 0) {
    open_messages_.push_back({trace_.communications.size(), launch.launch});
  }
  add_message(fields, record::collective_of_kernel(name), {*start, *duration}, true);
}

void TraceBuilder::add_message(const EventFields& fields, std::string_view collective,
                               const Span& span, bool on_device) {
  record::CommunicationEvent message;
  message.collective = collective;  // first: text() below takes its place in the scratch
  if (fields.has(Key::collective)) message.collective = text(fields, Key::collective);
  message.start_ns = span.start_ns;
  message.duration_ns = span.duration_ns;
  message.elements_in = integer(fields, Key::elements_in, -1);
  message.elements_out = integer(fields, Key::elements_out, -1);
  if (fields.has(Key::dtype)) message.dtype = text(fields, Key::dtype);
  message.group_size = integer(fields, Key::group_size, -1);
  message.on_device = on_device;
  message.external_id = integer(fields, Key::external_id, 0);
  trace_.communications.push_back(std::move(message));
}

void TraceBuilder::add_copy(record::CopyKind kind, const EventFields& fields) {
  const auto span = span_of(fields);
  if (!span) return;
  record::CopyEvent copy;
  copy.kind = kind;
  copy.name = trace_.copy_names.intern(text(fields, Key::name));
  copy.device = small_integer(fields, Key::device, Key::pid);
  copy.stream = small_integer(fields, Key::stream, Key::tid);
  copy.start_ns = span->start_ns;
  copy.duration_ns = span->duration_ns;
  copy.bytes = integer(fields, Key::bytes, -1);
  copy.correlation = integer(fields, Key::correlation, 0);
  trace_.copies.push_back(copy);
}

void TraceBuilder::add_allocation(const EventFields& fields) {
  const auto time = start_of(fields);
  const auto bytes = integer_of(fields[Key::bytes]);
  if (!bytes) lose(LossKind::unreadable_value);
  if (!time || !bytes) return;
  constexpr std::int64_t host = 0;  // c10/core/DeviceType.h: CPU = 0, CUDA = 1
  record::AllocationEvent allocation;
  allocation.time_ns = *time;
  allocation.bytes = *bytes;
  if (integer(fields, Key::device_type, host) != host) {
    allocation.device = small_integer(fields, Key::device_id, Key::pid);
  }
  allocation.total_allocated = integer(fields, Key::total_allocated, -1);
  allocation.total_reserved = integer(fields, Key::total_reserved, -1);
  trace_.allocations.push_back(allocation);
}

void TraceBuilder::name_process(const EventFields& fields) {
  constexpr std::size_t most_processes = 4096;  // a hostile file's; a trace has a handful
  if (process_names_.size() >= most_processes) return;
  const std::string pid(text(fields, Key::pid));
  process_names_.try_emplace(pid, text(fields, Key::process_name));
}

void TraceBuilder::finish() {
  const auto named = process_names_.find(host_pid_);
  std::string label = named == process_names_.end() ? std::string() : named->second;
  if (!host_pid_.empty()) label += format("{}({})", label.empty() ? "" : " ", host_pid_);
  if (trace_.rank) label += format("{}rank {}", label.empty() ? "" : ", ", *trace_.rank);
  kernels_.processes.intern(label.empty() ? "trace" : label);

  // The op of a kernel is that of the call that launched it; both have the correlation.
  using Call = std::pair<std::int64_t, std::int64_t>;  // correlation, External id
  const record::RangeTable& ranges = trace_.ranges;
  std::vector<Call> calls;
  const auto launches = [&](std::size_t row) {
    return ranges.correlation[row] != 0 && ranges.external_id[row] != 0;
  };
  std::size_t count = 0;
  for (std::size_t row = 0; row < ranges.size(); ++row) count += launches(row) ? 1U : 0U;
  calls.reserve(count);
  for (std::size_t row = 0; row < ranges.size(); ++row) {
    if (launches(row)) calls.emplace_back(ranges.correlation[row], ranges.external_id[row]);
  }
  if (!std::ranges::is_sorted(calls)) std::ranges::sort(calls);
  const auto op_of = [&](std::int64_t correlation) -> std::int64_t {
    const auto call = std::ranges::lower_bound(calls, correlation, {}, &Call::first);
    return call != calls.end() && call->first == correlation ? call->second : 0;
  };
  for (std::size_t row = 0; row < kernels_.size(); ++row) {
    const record::KernelLaunch launch = kernels_.launch(row);
    if (launch.external_id != 0 || launch.launch == 0) continue;
    if (const std::int64_t op = op_of(launch.launch)) kernels_.set_external_id(row, op);
  }
  for (const OpenMessage& open : open_messages_) {
    trace_.communications[open.message].external_id = op_of(open.correlation);
  }
}

}  // namespace rooflab::import::kineto
