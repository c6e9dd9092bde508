#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "recorded_network.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Loads one network in many batch sizes, as a search does. A model is read for the first two, or
/// three where the first is 1: where the last is what graph::rebatch makes of the one before, it
/// makes all others too. A recording and those beside it are read once.
class BatchLoader {
 public:
  explicit BatchLoader(const ChosenNetwork& network)
      : network_(network), is_recording_(network.layer.empty() && is_recorded(network.model)) {}

  /// Gives what ChosenNetwork::load() gives, and throws what it throws.
  [[nodiscard]] LoadedModel load(const std::map<std::string, std::int64_t>& counts);

 private:
  [[nodiscard]] std::optional<graph::Graph> rebatched(std::int64_t batch) const;

  /// A recording in these counts.
  [[nodiscard]] LoadedModel recorded(const std::map<std::string, std::int64_t>& counts);

  const ChosenNetwork& network_;
  bool is_recording_ = false;
  std::optional<RecordedNetwork> recorded_;  ///< once one was asked for
  std::optional<LoadedModel> known_;
  std::optional<bool> can_rebatch_;
};

}  // namespace rooflab::task
