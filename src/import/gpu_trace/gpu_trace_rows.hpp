#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "gpu_trace_header.hpp"
#include "record/trace_source.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::import {

/// Record of the rows of a GPU trace: kernels, copies and fills, with the devices that they name.
class GpuTraceRows {
 public:
  explicit GpuTraceRows(record::TraceSource source);

  /// Takes a row of a table with this header. What cannot be read is counted as lost, with the
  /// number of the line.
  void take(const GpuTraceHeader& header, std::span<const std::string_view> fields,
            std::int64_t line);
  void lose(std::string_view what, std::int64_t line) {
    record::count_loss(record_.lost, what, format("line {}", line));
  }
  [[nodiscard]] bool has_kernels() const { return !record_.kernels->empty(); }

  /// The record of the rows that were taken; `file` names it.
  [[nodiscard]] record::Record finished(const std::string& file) &&;

 private:
  using Column = GpuTraceColumn;

  void lose(std::string_view what) { lose(what, line_); }
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

  record::Record record_;
  std::optional<std::int64_t> first_ns_;
  /// Start, duration, device, stream and correlation of every row.
  std::set<std::array<std::int64_t, 5>> rows_;
  // The row that is taken.
  const GpuTraceHeader* header_ = nullptr;
  std::span<const std::string_view> fields_;
  std::int64_t line_ = 0;
};

}  // namespace rooflab::import
