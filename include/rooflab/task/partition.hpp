#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/partition_result.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Request to cut a network into stages over several devices.
struct PartitionRequest {
  static constexpr std::string_view command = "partition";

  ChosenNetwork network = {};
  TargetChoice target = {};
  LinkChoice link = {};               ///< default: the slowest link in the devices' datasheets
  std::vector<std::string> cut = {};  ///< after these layers or modules: a cut to compare
  int micro_batches = 1;
  bool measure = false;  ///< run the stages on the devices
  int iterations = 10;
  std::optional<double> timeout = {};
};
const Parameters& parameters_of(For<PartitionRequest>);

/// Plans and optionally runs a partition. A stopped run has the status `interrupted`. Throws Error
/// (usage, input, capability).
[[nodiscard]] analyze::PartitionResult run(PartitionRequest request, Session& session);

}  // namespace rooflab::task
