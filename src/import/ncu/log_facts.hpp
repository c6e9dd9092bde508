#pragma once

#include <cstdint>
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
};

}  // namespace rooflab::import::ncu
