#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/gpu_trace/gpu_trace_header.hpp"

/// Tables that nvprof prints as CSV. A row of names, a row of units, rows of values.
namespace rooflab::import::nvprof {

enum class TableKind : std::uint8_t {
  gpu_trace,   ///< --print-gpu-trace: a row for each kernel, copy and fill
  summary,     ///< without an option: a row for all launches of a kernel, all copies of a direction
  call_trace,  ///< --print-api-trace: a row for each call of CUDA
  counters,    ///< --metrics, --events
};

/// Kind of the table whose names of columns these are; nullopt: this is not such a row.
[[nodiscard]] std::optional<TableKind> table_kind_of(std::span<const std::string_view> fields);

/// Columns by name and unit. nvprof's KB is 1024 bytes: it is `kib` here.
[[nodiscard]] std::vector<ColumnHead> heads_of(std::span<const std::string_view> names,
                                               std::span<const std::string_view> units);

/// Number of a column; nullopt: the table lacks it.
[[nodiscard]] std::optional<std::size_t> column_of(std::span<const ColumnHead> heads,
                                                   std::string_view name);

/// Whether a file that begins so has nvprof's output.
[[nodiscard]] bool is_nvprof(std::string_view head);

}  // namespace rooflab::import::nvprof
