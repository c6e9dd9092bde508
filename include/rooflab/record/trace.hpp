#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/kernel_table.hpp"

/// A profiler's trace of one process: ranges on the host's threads, copies on the device, changes
/// of the allocators. Kernels are in the record's KernelTable, on the same clock. All times are
/// whole nanoseconds since `Trace::base_ns`.
namespace rooflab::record {

enum class RangeKind : std::uint8_t {
  op,                 ///< op of the framework: `aten::conv2d`
  annotation,         ///< annotation by the user or framework on the host: `ProfilerStep#3`
  device_annotation,  ///< annotation on the device: first kernel's start to last one's end
  runtime,            ///< a call of the CUDA runtime or driver
  overhead,           ///< overhead of the profiler
};

/// One range to be added to a table.
struct Range {
  RangeKind kind = RangeKind::op;
  std::string_view name = {};
  std::string_view thread = {};
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t external_id = 0;
};

/// Ranges stored as columns.
struct RangeTable {
  NameTable names = {};
  /// Arguments of ops as the profiler wrote them: JSON arrays of shapes (`Input Dims`), of types
  /// (`Input type`) and, if recorded, of scalar values (`Concrete Inputs`), separated by line
  /// feeds. Number 0 is the empty text: not recorded.
  NameTable arguments = {};
  NameTable threads = {};  ///< `417/442`: process and thread

  std::vector<RangeKind> kind = {};
  std::vector<NameTable::Id> name = {};
  std::vector<NameTable::Id> thread = {};
  std::vector<NameTable::Id> argument = {};
  std::vector<std::int64_t> start_ns = {};
  std::vector<std::int64_t> duration_ns = {};
  std::vector<std::int64_t> external_id = {};  ///< own number; for a runtime call its op's; 0: none
  /// Joins a runtime call and its device work; 0: none
  std::vector<std::int64_t> correlation = {};
  std::vector<std::int64_t> sequence = {};  ///< shared by an op and its backward; -1: none

  [[nodiscard]] std::size_t size() const { return kind.size(); }
  /// Adds a row without arguments, correlation and sequence.
  void add(const Range& range);
  /// Reserves memory for `rows` rows, so that growing a column does not copy it.
  void reserve(std::size_t rows);
};

enum class CopyKind : std::uint8_t { memcpy, memset };
constexpr auto names_in_order(For<CopyKind>) {
  return names_through<CopyKind::memset>("memcpy", "memset");
}

/// Memory copies and fills on the device.
struct CopyEvent {
  CopyKind kind = CopyKind::memcpy;
  NameTable::Id name = 0;  ///< in Trace::copy_names: `Memcpy HtoD (Pageable -> Device)`
  std::int32_t device = 0;
  std::int32_t stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t bytes = -1;  ///< -1: not recorded
  std::int64_t correlation = 0;
};

/// One change of an allocator.
struct AllocationEvent {
  std::int64_t time_ns = 0;
  std::int32_t device = -1;           ///< -1: the host
  std::int64_t bytes = 0;             ///< negative: freed
  std::int64_t total_allocated = -1;  ///< after the change; -1: not recorded
  std::int64_t total_reserved = -1;
};

/// A message of a communication library, as its op or kernel describes it.
struct CommunicationEvent {
  std::string collective = {};  ///< `allreduce`, `_allgather_base`, ...
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t elements_in = -1;
  std::int64_t elements_out = -1;
  std::string dtype = {};
  std::int64_t group_size = -1;
  bool on_device = false;  ///< range of a kernel, not of the host's op
  std::int64_t external_id = 0;
};

/// A device as the trace describes it.
struct TraceDevice {
  int id = 0;
  std::string name = {};
  std::optional<std::int64_t> memory_bytes = {};
  std::optional<std::string> compute_capability = {};  ///< `9.0`
  std::optional<int> multiprocessors = {};
  std::optional<int> max_threads_per_multiprocessor = {};
};

struct Trace {
  std::string profiler = {};  ///< `PyTorch profiler (kineto)`
  std::int64_t base_ns =
      0;  ///< Unix time of the clock's zero; 0: the clock is Unix time itself, or unknown
  std::optional<int> rank = {};
  std::optional<int> world_size = {};
  std::string backend = {};  ///< `nccl`, `gloo`; empty: not distributed
  std::vector<TraceDevice> devices = {};
  RangeTable ranges = {};
  NameTable copy_names = {};
  std::vector<CopyEvent> copies = {};
  std::vector<AllocationEvent> allocations = {};
  std::vector<CommunicationEvent> communications = {};
  std::int64_t python_ranges = 0;  ///< number of Python functions in the file; not kept
};

[[nodiscard]] std::span<const Field> fields_of(For<TraceDevice>);
[[nodiscard]] std::span<const Field> fields_of(For<CopyEvent>);
[[nodiscard]] std::span<const Field> fields_of(For<AllocationEvent>);
[[nodiscard]] std::span<const Field> fields_of(For<CommunicationEvent>);
[[nodiscard]] std::span<const Field> fields_of(For<RangeTable>);
[[nodiscard]] std::span<const Field> fields_of(For<Trace>);

}  // namespace rooflab::record
