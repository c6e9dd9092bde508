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

/// A network cut into stages over several devices.
struct PartitionRequest {
  static constexpr std::string_view command = "partition";

  ChosenNetwork network;
  TargetChoice target;
  LinkChoice link;               ///< default: the slowest that the devices' datasheets name
  std::vector<std::string> cut;  ///< behind these layers or modules: one's own cut, beside the best
  int micro_batches = 1;
  bool measure = false;  ///< run the stages on the devices
  int iterations = 10;
  std::optional<double> timeout;
};
const Parameters& parameters_of(For<PartitionRequest>);

/// Throws Error (usage, input, capability). A run that is stopped has that status.
[[nodiscard]] analyze::PartitionResult run(PartitionRequest request, Session& session);

}  // namespace rooflab::task
