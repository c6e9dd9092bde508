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

/// Facts about a log in addition to its launches, collected while it is read.
struct LogFacts {
  std::int64_t line = 1;  ///< line that is being read
  std::vector<record::Loss> lost;

  // The device of the first launch, and the numbers of all devices in order of appearance.
  std::vector<std::int32_t> devices;
  std::string device_name;
  std::optional<record::ComputeCapability> capability;
  std::optional<std::int64_t> multiprocessors;
  std::optional<std::int64_t> device_memory;

  /// Figures that some launch has in any form.
  std::bitset<record::kernel_figure_facts.size()> collected;
  /// Names of the first metrics in the log that Rooflab does not use.
  std::set<std::string, std::less<>> unused_metrics;
  /// Base names of the tensor metrics that had a value.
  std::set<std::string_view> tensor_collected;
  /// First unknown unit: `gpu__time_duration.sum in 'fortnight'`.
  std::string unknown_unit;
  // Number of launches with a derived figure.
  std::int64_t derived_per_second = 0;
  std::int64_t derived_per_cycle = 0;

  // Messages of ncu between the tables.
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
