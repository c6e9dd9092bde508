#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "import/gpu_trace/gpu_trace_header.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::import::nvprof {

/// Columns of a summary that are read.
struct SummaryColumns {
  std::optional<std::size_t> type;  ///< missing before CUDA 8
  std::size_t time = 0;
  std::size_t calls = 0;
  std::size_t shortest = 0;
  std::size_t longest = 0;
  std::size_t name = 0;
  double time_unit_s = 1.0;
  double shortest_unit_s = 1.0;
  double longest_unit_s = 1.0;
};

/// What a summary says of copies and fills, or of calls of CUDA, all together.
struct SummedEvents {
  std::int64_t events = 0;
  double time_s = 0.0;
  double longest_s = 0.0;
  std::string longest;  ///< name of the one that takes longest in all
};

/// Record of the rows of summaries: a kernel has a row with the sum of its launches. Copies and
/// calls have no row, as a record keeps only single ones; notes have their sums.
class SummaryRows {
 public:
  /// Takes a row, and returns what is wrong with it; empty: nothing. `calls`: it is of calls where
  /// the table does not say so. `process` launched it.
  [[nodiscard]] std::string_view take(const SummaryColumns& columns,
                                      std::span<const std::string_view> fields, bool calls,
                                      std::string_view process);
  [[nodiscard]] bool has_kernels() const { return !kernels_.empty(); }
  [[nodiscard]] record::KernelTable kernels() && { return std::move(kernels_); }
  /// Adds the sums of copies and of calls.
  void add_notes(std::vector<Note>& notes) const;

 private:
  void add_kernel(std::string_view name, std::string_view process, double time_s,
                  const record::SummedLaunches& launches);

  record::KernelTable kernels_;
  SummedEvents copies_;
  SummedEvents calls_;
};

}  // namespace rooflab::import::nvprof
