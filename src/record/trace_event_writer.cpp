// Chrome's Trace Event Format ("Trace Event Format", Google, 2016), the part of it that PyTorch's
// profiler uses:
//
//   M   process_name, process_sort_index, thread_name, thread_sort_index: names of rows
//   X   a complete event: ts and dur in microseconds with three decimals, which are nanoseconds
//   s f an arrow from a range of the host to the work that it launched
//
// Events of one thread must nest: the viewer draws a stack. Streams and threads nest as recorded,
// with two exceptions: kernels of a CUDA graph carry one stream and run side by side, and ranges
// that a profiler rounds to microseconds may overlap by one. Such events get the first row below,
// of the same thread or stream, where they fit. An arrow joins by the correlation of a runtime
// call, else by the External id of an op.

#include "trace_event_writer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "rooflab/base/json.hpp"
#include "trace_event_names.hpp"

namespace rooflab::record {
namespace {

namespace names = trace_event;

constexpr double ns_per_s = 1e9;

std::string json_text(std::string_view text) { return Json(text).dump(); }

/// `12.345` of 12345 ns.
std::string microseconds(std::int64_t ns) {
  return format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(ns % 1000));
}

std::string_view category_of(RangeKind kind) {
  switch (kind) {
    case RangeKind::op:
      return names::op;
    case RangeKind::annotation:
      return names::annotation;
    case RangeKind::device_annotation:
      return names::device_annotation;
    case RangeKind::runtime:
      return names::runtime;
    case RangeKind::overhead:
      return names::overhead;
  }
  return names::overhead;
}

/// The members of `args`, known ones only.
class Arguments {
 public:
  void add(std::string_view key, std::int64_t value) { add_text(key, format("{}", value)); }
  /// NaN and infinity cannot be written in JSON and are nothing that was collected.
  void add(std::string_view key, const std::optional<double>& value, double scale = 1.0) {
    if (value && std::isfinite(*value)) add_text(key, Json(*value * scale).dump());
  }
  void add(std::string_view key, const Extent& extent) {
    if (extent != Extent{}) {
      add_text(key, format("[{},{},{}]", extent[0], extent[1], extent[2]));
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add_text(std::string_view key, std::string_view value) {
    text_ += format("{}\"{}\":{}", text_.empty() ? "" : ",", key, value);
  }
  std::string text_;
};

void add_launch(Arguments& arguments, const KernelTable& kernels, std::size_t number) {
  const KernelLaunch& launch = kernels.launch(number);
  arguments.add(names::grid, launch.grid);
  arguments.add(names::block, launch.block);
  using Key = std::tuple<std::string_view, KernelFigure, double>;
  for (const auto& [key, figure, scale] :
       {Key(names::registers, KernelFigure::registers_per_thread, 1.0),
        Key(names::shared_memory, KernelFigure::shared_memory_bytes, 1.0),
        Key(names::blocks_per_sm, KernelFigure::blocks_per_sm, 1.0),
        Key(names::warps_per_sm, KernelFigure::warps_per_sm, 1.0),
        Key(names::occupancy, KernelFigure::occupancy, 100.0)}) {
    arguments.add(key, kernels.at(figure, number), scale);
  }
}

/// A kernel or copy with a place in time.
struct Work {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int32_t device = 0;
  std::int32_t stream = 0;
  std::uint32_t number = 0;
  bool is_copy = false;
};

/// Kernels and copies by device and stream, in order. Counts kernels without a time.
std::vector<Work> works_of(const KernelTable& kernels, const Trace& trace,
                           std::int64_t& without_time) {
  std::vector<Work> works;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelLaunch& launch = kernels.launch(i);
    const std::optional<double> time_s = kernels.at(KernelFigure::time_s, i);
    if (!launch.start_ns || !time_s) {
      ++without_time;
      continue;
    }
    works.push_back({*launch.start_ns, std::llround(*time_s * ns_per_s), launch.device,
                     launch.stream, static_cast<std::uint32_t>(i), false});
  }
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    const CopyEvent& copy = trace.copies[i];
    works.push_back({copy.start_ns, copy.duration_ns, copy.device, copy.stream,
                     static_cast<std::uint32_t>(i), true});
  }
  std::ranges::sort(works, {}, [](const Work& work) {
    return std::tuple(work.device, work.stream, work.start_ns, -work.duration_ns, work.is_copy,
                      work.number);
  });
  return works;
}

/// Names with their quotes, made once.
std::vector<std::string> quoted_names(const NameTable& table) {
  std::vector<std::string> texts;
  for (NameTable::Id id = 0; id < table.size(); ++id) texts.push_back(json_text(table[id]));
  return texts;
}

}  // namespace

/// The rows of one process, and what is open in each.
class TraceEventWriter::Rows {
 public:
  explicit Rows(TraceEventWriter& writer) : writer_(writer) {}

  /// Begins the rows of another thread or stream.
  void begin(std::string name) {
    name_ = std::move(name);
    lanes_.clear();
  }
  /// Row of an event; events come by start, the longer one first. `nests`: it may lie within
  /// another one.
  int place(std::int64_t start_ns, std::int64_t end_ns, bool nests) {
    for (Lane& lane : lanes_) {
      while (!lane.open.empty() && lane.open.back() <= start_ns) lane.open.pop_back();
      if (!lane.open.empty() && !(nests && end_ns <= lane.open.back())) continue;
      lane.open.push_back(end_ns);
      return lane.row;
    }
    Lane& lane = lanes_.emplace_back(Lane{++rows_, {end_ns}});
    const std::string name = lanes_.size() == 1 ? name_ : format("{} ({})", name_, lanes_.size());
    writer_.metadata("thread_name", lane.row, "name", json_text(name));
    writer_.metadata("thread_sort_index", lane.row, "sort_index", format("{}", lane.row));
    return lane.row;
  }

  struct Place {
    int row = 0;
    std::int64_t start_ns = 0;
  };
  std::unordered_map<std::int64_t, Place> calls;  ///< runtime calls by correlation
  std::unordered_map<std::int64_t, Place> ops;    ///< ops by External id

 private:
  struct Lane {
    int row = 0;
    std::vector<std::int64_t> open;  ///< ends, the innermost last
  };

  TraceEventWriter& writer_;
  std::string name_;
  std::vector<Lane> lanes_;
  int rows_ = 0;
};

TraceEventWriter::TraceEventWriter(std::ostream& stream, std::string_view about,
                                   std::int64_t zero_ns)
    : stream_(stream), zero_ns_(zero_ns) {
  stream_ << format(
      "{{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"otherData\":{{\"made by\":\"rooflab\","
      "\"about\":{}}},\n\"traceEvents\":[",
      json_text(about));
}

void TraceEventWriter::event(std::string_view text) {
  stream_ << (has_events_ ? ",\n" : "\n") << text;
  has_events_ = true;
}

void TraceEventWriter::metadata(std::string_view what, int row, std::string_view key,
                                std::string_view value) {
  event(format("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"{}\":{}}}}}",
               what, process_, row, key, value));
}

void TraceEventWriter::complete_event(std::string_view category, std::string_view name, int row,
                                      std::int64_t start_ns, std::int64_t duration_ns,
                                      std::string_view arguments) {
  event(
      format("{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},"
             "\"dur\":{},\"args\":{{{}}}}}",
             category, name, process_, row, microseconds(start_ns + shift_ns_),
             microseconds(duration_ns), arguments));
}

void TraceEventWriter::arrow(int from_row, std::int64_t from_ns, int to_row, std::int64_t to_ns) {
  ++arrows_;
  const auto end = [&](std::string_view phase, int row, std::int64_t ns) {
    event(
        format("{{\"ph\":\"{}\",\"cat\":\"{}\",\"name\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},"
               "\"ts\":{}{}}}",
               phase, names::arrow, names::arrow, arrows_, process_, row,
               microseconds(ns + shift_ns_), phase == "f" ? ",\"bp\":\"e\"" : ""));
  };
  end("s", from_row, from_ns);
  end("f", to_row, to_ns);
}

void TraceEventWriter::add(const TraceProcess& process) {
  ++process_;
  metadata("process_name", 0, "name", json_text(process.name));
  metadata("process_sort_index", 0, "sort_index", format("{}", process_));
  const Record& record = process.record;
  shift_ns_ = (record.trace ? record.trace->base_ns : 0) - zero_ns_;
  Rows rows(*this);
  if (record.trace) add_ranges(record, rows);
  add_work(process, rows);
  if (!record.trace) return;
  for (const TraceDevice& device : record.trace->devices) {
    if (std::ranges::find(devices_, device.id, &TraceDevice::id) == devices_.end()) {
      devices_.push_back(device);
    }
  }
  if (process_ > 1) return;  // a file has one rank at most
  rank_ = record.trace->rank;
  world_size_ = record.trace->world_size;
  backend_ = record.trace->backend;
}

void TraceEventWriter::add_ranges(const Record& record, Rows& rows) {
  const RangeTable& ranges = record.trace->ranges;
  const std::vector<std::string> texts = quoted_names(ranges.names);
  std::vector<std::uint32_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::tuple(ranges.thread[i], ranges.start_ns[i], -ranges.duration_ns[i], i);
  });
  std::optional<NameTable::Id> thread;
  for (const std::uint32_t i : order) {
    if (thread != ranges.thread[i]) {
      thread = ranges.thread[i];
      rows.begin(ranges.threads[*thread]);
    }
    const RangeKind kind = ranges.kind[i];
    const std::int64_t start_ns = ranges.start_ns[i];
    const int row = rows.place(start_ns, start_ns + ranges.duration_ns[i], true);
    Arguments arguments;
    if (ranges.external_id[i] != 0) arguments.add(names::external_id, ranges.external_id[i]);
    if (ranges.correlation[i] != 0) arguments.add(names::correlation, ranges.correlation[i]);
    if (ranges.sequence[i] >= 0) arguments.add(names::sequence, ranges.sequence[i]);
    complete_event(category_of(kind), texts[ranges.name[i]], row, start_ns, ranges.duration_ns[i],
                   arguments.text());
    if (kind == RangeKind::runtime && ranges.correlation[i] != 0) {
      rows.calls.insert_or_assign(ranges.correlation[i], Rows::Place{row, start_ns});
    }
    if (kind == RangeKind::op && ranges.external_id[i] != 0) {
      rows.ops.try_emplace(ranges.external_id[i], Rows::Place{row, start_ns});
    }
  }
}

void TraceEventWriter::add_work(const TraceProcess& process, Rows& rows) {
  static const KernelTable no_kernels;
  static const Trace no_trace;
  const KernelTable& kernels = process.record.kernels ? *process.record.kernels : no_kernels;
  const Trace& trace = process.record.trace ? *process.record.trace : no_trace;
  const std::vector<Work> works = works_of(kernels, trace, without_time_);
  const std::vector<std::string> kernel_names = quoted_names(kernels.names);
  const std::vector<std::string> copy_names = quoted_names(trace.copy_names);
  std::optional<std::pair<std::int32_t, std::int32_t>> stream;
  for (const Work& work : works) {
    if (stream != std::pair(work.device, work.stream)) {
      stream = {work.device, work.stream};
      const auto name = process.streams.find(work.stream);
      rows.begin(name != process.streams.end()
                     ? name->second
                     : format("cuda:{}, stream {}", work.device, work.stream));
    }
    const int row = rows.place(work.start_ns, work.start_ns + work.duration_ns, false);
    Arguments arguments;
    arguments.add(names::device, work.device);
    arguments.add(names::stream, work.stream);
    std::int64_t correlation = 0;
    std::int64_t external_id = 0;
    std::string_view category = names::kernel;
    std::string_view name;
    if (work.is_copy) {
      const CopyEvent& copy = trace.copies[work.number];
      correlation = copy.correlation;
      category = copy.kind == CopyKind::memcpy ? names::memcpy : names::memset;
      name = copy_names[copy.name];
      if (copy.bytes >= 0) arguments.add(names::bytes, copy.bytes);
    } else {
      const KernelLaunch& launch = kernels.launch(work.number);
      correlation = launch.launch;
      external_id = launch.external_id;
      name = kernel_names[launch.name];
      add_launch(arguments, kernels, work.number);
    }
    if (correlation != 0) arguments.add(names::correlation, correlation);
    if (external_id != 0) arguments.add(names::external_id, external_id);
    complete_event(category, name, row, work.start_ns, work.duration_ns, arguments.text());
    auto from = rows.calls.find(correlation);
    if (correlation == 0 || from == rows.calls.end()) {
      from = rows.ops.find(external_id);
      if (external_id == 0 || from == rows.ops.end()) continue;
    }
    if (from->second.start_ns <= work.start_ns) {
      arrow(from->second.row, from->second.start_ns, row, work.start_ns);
    }
  }
}

void TraceEventWriter::finish() {
  Json devices = Json::array();
  for (const TraceDevice& each : devices_) {
    Json device = {{"id", each.id}, {"name", each.name}};
    if (each.memory_bytes) device.update({{"totalGlobalMem", *each.memory_bytes}});
    if (each.multiprocessors) device.update({{"numSms", *each.multiprocessors}});
    if (each.max_threads_per_multiprocessor) {
      device.update({{"maxThreadsPerMultiprocessor", *each.max_threads_per_multiprocessor}});
    }
    const std::string capability = each.compute_capability.value_or("");
    const std::size_t point = capability.find('.');
    const auto major = parse_number(std::string_view(capability).substr(0, point));
    const auto minor = point == std::string::npos
                           ? std::nullopt
                           : parse_number(std::string_view(capability).substr(point + 1));
    if (major && minor) {
      device.update({{"computeMajor", static_cast<std::int64_t>(*major)},
                     {"computeMinor", static_cast<std::int64_t>(*minor)}});
    }
    devices.push_back(device);
  }
  stream_ << format("\n],\n\"{}\":{}", names::devices, devices.dump());
  if (zero_ns_ > 0) stream_ << format(",\n\"{}\":{}", names::base_time, zero_ns_);
  if (rank_ && world_size_) {
    const Json ranks = {{"backend", backend_}, {"rank", *rank_}, {"world_size", *world_size_}};
    stream_ << format(",\n\"{}\":{}", names::ranks, ranks.dump());
  }
  if (without_time_ > 0) {
    stream_ << format(",\n\"kernelsWithoutTime\":{}", without_time_);
  }
  stream_ << "\n}\n";
}

std::optional<std::int64_t> earliest_ns(const Record& record) {
  std::optional<std::int64_t> first;
  const auto take = [&first](std::int64_t ns) { first = std::min(first.value_or(ns), ns); };
  if (record.kernels) {
    for (std::size_t i = 0; i < record.kernels->size(); ++i) {
      if (const auto start = record.kernels->launch(i).start_ns) take(*start);
    }
  }
  if (record.trace) {
    for (const std::int64_t ns : record.trace->ranges.start_ns) take(ns);
    for (const CopyEvent& copy : record.trace->copies) take(copy.start_ns);
  }
  if (first && record.trace) *first += record.trace->base_ns;
  return first;
}

}  // namespace rooflab::record
