#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Loads one network in many batch sizes, as a search does. A model is read for the first two, or
/// three where the first is 1: where the last is what graph::rebatch makes of the one before, it
/// makes all others too.
class BatchLoader {
 public:
  explicit BatchLoader(const ChosenNetwork& network) : network_(network) {}

  /// Gives what ChosenNetwork::load() gives, and throws what it throws.
  [[nodiscard]] LoadedModel load(const std::map<std::string, std::int64_t>& counts);

 private:
  [[nodiscard]] std::optional<graph::Graph> rebatched(std::int64_t batch) const;

  const ChosenNetwork& network_;
  std::optional<LoadedModel> known_;
  std::optional<bool> can_rebatch_;
};

}  // namespace rooflab::task
