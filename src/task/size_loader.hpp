#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "recorded_network.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Loads one network in many batch sizes, as a search does. A model is read for the first two batch
/// sizes, or three if the first is 1. If graph::rebatch() of the second last one equals the last
/// one, it makes all further ones. A recording and its further sizes are read once.
class BatchLoader {
 public:
  explicit BatchLoader(const ChosenNetwork& network)
      : network_(network), is_recording_(network.layer.empty() && is_recorded(network.model)) {}

  /// Loads the network like ChosenNetwork::load(), with its errors.
  [[nodiscard]] LoadedModel load(const std::map<std::string, std::int64_t>& counts);

 private:
  [[nodiscard]] std::optional<graph::Graph> rebatched(std::int64_t batch) const;

  /// Loads a recording with these counts.
  [[nodiscard]] LoadedModel recorded(const std::map<std::string, std::int64_t>& counts);

  const ChosenNetwork& network_;
  bool is_recording_ = false;
  std::optional<RecordedNetwork> recorded_;  ///< set once a recording was loaded
  std::optional<LoadedModel> known_;
  std::optional<bool> can_rebatch_;
};

}  // namespace rooflab::task
