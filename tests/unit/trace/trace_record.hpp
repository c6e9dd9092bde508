#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rooflab/record/record.hpp"

namespace rooflab::trace {

/// Writes small traces, event by event. Times are in nanoseconds.
class TraceRecord {
 public:
  TraceRecord() {
    record_.trace.emplace();
    record_.kernels.emplace();
    record_.trace->ranges.arguments.intern("");
  }

  TraceRecord& op(std::string_view name, std::int64_t start, std::int64_t length,
                  std::int64_t external_id = 0, std::string_view thread = "1/1",
                  std::string_view arguments = "") {
    return range(record::RangeKind::op, name, start, length, external_id, 0, thread, arguments);
  }
  TraceRecord& annotation(std::string_view name, std::int64_t start, std::int64_t length,
                          std::int64_t external_id = 0, std::string_view thread = "1/1") {
    return range(record::RangeKind::annotation, name, start, length, external_id, 0, thread, "");
  }
  TraceRecord& device_annotation(std::string_view name, std::int64_t start, std::int64_t length,
                                 std::int64_t external_id = 0) {
    return range(record::RangeKind::device_annotation, name, start, length, external_id, 0, "0/7",
                 "");
  }
  TraceRecord& call(std::int64_t start, std::int64_t length, std::int64_t correlation,
                    std::int64_t external_id = 0, std::string_view name = "cudaLaunchKernel",
                    std::string_view thread = "1/1") {
    return range(record::RangeKind::runtime, name, start, length, external_id, correlation, thread,
                 "");
  }

  struct KernelOptions {
    int device = 0;
    double blocks_per_sm = -1.0;  ///< below 0: not recorded
    double occupancy = -1.0;
    std::int64_t external_id = 0;
  };
  TraceRecord& kernel(std::string_view name, std::int64_t start, std::int64_t length,
                      std::int64_t correlation, const KernelOptions& options) {
    record::KernelTable& kernels = *record_.kernels;
    record::KernelLaunch launch;
    launch.name = kernels.names.intern(name);
    launch.launch = correlation;
    launch.device = options.device;
    launch.start_ns = start;
    launch.external_id = options.external_id;
    const std::size_t row = kernels.add(launch);
    kernels.set(record::KernelFigure::time_s, row, static_cast<double>(length) * 1e-9);
    if (options.blocks_per_sm >= 0.0) {
      kernels.set(record::KernelFigure::blocks_per_sm, row, options.blocks_per_sm);
    }
    if (options.occupancy >= 0.0) {
      kernels.set(record::KernelFigure::occupancy, row, options.occupancy);
    }
    return *this;
  }
  TraceRecord& kernel(std::string_view name, std::int64_t start, std::int64_t length,
                      std::int64_t correlation = 0) {
    return kernel(name, start, length, correlation, KernelOptions());
  }
  TraceRecord& copy(record::CopyKind kind, std::int64_t start, std::int64_t length,
                    std::int64_t correlation = 0) {
    record::CopyEvent event;
    event.kind = kind;
    event.start_ns = start;
    event.duration_ns = length;
    event.correlation = correlation;
    record_.trace->copies.push_back(event);
    return *this;
  }

  [[nodiscard]] record::Trace& trace() { return *record_.trace; }
  [[nodiscard]] const record::Record& record() const { return record_; }

 private:
  TraceRecord& range(record::RangeKind kind, std::string_view name, std::int64_t start,
                     std::int64_t length, std::int64_t external_id, std::int64_t correlation,
                     std::string_view thread, std::string_view arguments) {
    record::RangeTable& ranges = record_.trace->ranges;
    ranges.kind.push_back(kind);
    ranges.name.push_back(ranges.names.intern(name));
    ranges.thread.push_back(ranges.threads.intern(thread));
    ranges.argument.push_back(ranges.arguments.intern(arguments));
    ranges.start_ns.push_back(start);
    ranges.duration_ns.push_back(length);
    ranges.external_id.push_back(external_id);
    ranges.correlation.push_back(correlation);
    ranges.sequence.push_back(-1);
    return *this;
  }

  record::Record record_;
};

}  // namespace rooflab::trace
