#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "record/counter_metric.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::import::ncu {

/// What is learnt of a log beside its launches, while it is read.
struct LogFacts {
  std::int64_t line = 1;  ///< where the reader is
  std::vector<record::Loss> lost;

  // The device of the first launch, and the numbers of all devices in order of appearance.
  std::vector<std::int32_t> devices;
  std::string device_name;
  std::optional<record::ComputeCapability> capability;
  std::optional<std::int64_t> multiprocessors;
  std::optional<std::int64_t> device_memory;

  /// Figures that some launch has, in whatever form.
  std::bitset<record::kernel_figure_facts.size()> collected;
  /// Names of metrics in the log that Rooflab does not use, the first of them.
  std::set<std::string, std::less<>> unused_metrics;
  /// Base names of the tensor metrics that had a value.
  std::set<std::string_view> tensor_collected;
  /// `gpu__time_duration.sum in 'fortnight'`: the first unit that is not known.
  std::string unknown_unit;
  // Launches with a figure that was derived and not read.
  std::int64_t derived_per_second = 0;
  std::int64_t derived_per_cycle = 0;

  // What ncu said between the tables.
  std::int64_t errors = 0;
  std::string first_error;
  bool no_permission = false;
  bool nothing_profiled = false;
  bool clocks_unmodified = false;
  bool ncu_was_here = false;
  bool summary_table = false;  ///< table of --print-summary

  void lose(std::string_view what);
  /// Notes the name of a metric that is not used.
  void pass_over(std::string_view metric);
};

}  // namespace rooflab::import::ncu
