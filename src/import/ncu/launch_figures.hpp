#pragma once

#include <limits>
#include <vector>

#include "log_facts.hpp"
#include "metric_use.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::import::ncu {

inline constexpr double missing_figure = std::numeric_limits<double>::quiet_NaN();

/// Collects the values of one launch in a log.
///
/// A figure may have several forms, of which the closest to the hardware's count is used; a form
/// may be a sum of several metrics, and is unknown if one of them has no value. Rates become counts
/// at the end, when time and cycles are known:
///
///     x per second * time,    x per elapsed cycle * elapsed cycles
///
/// Where the elapsed cycles were not collected they are clock * time. Time and rate may come from
/// different passes of the kernel, so a derived count is near the true one, not equal to it.
class LaunchFigures {
 public:
  /// Adds a value in seconds, bytes, ...; a second value of the same metric is ignored.
  void add(const record::CounterMetric& metric, double value);
  /// Adds a requested metric without a value.
  void miss(const record::CounterMetric& metric);
  void set_cycles(int rank, double cycles);

  /// Writes the figures into a row, keeping existing ones, and forgets them.
  void store(record::KernelTable& kernels, std::size_t row, LogFacts& facts);

 private:
  struct Part {
    record::CounterMetric metric;
    double value;  ///< NaN: missing
  };

  [[nodiscard]] const Part* find(const record::CounterMetric& metric) const;
  [[nodiscard]] double total(const Part& first) const;

  std::vector<Part> parts_;
  int cycles_rank_ = std::numeric_limits<int>::max();
  double cycles_ = missing_figure;
};

}  // namespace rooflab::import::ncu
