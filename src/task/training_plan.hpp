#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rooflab/task/train.hpp"

namespace rooflab::task {

/// What the data of a training is, as far as it must be known before.
struct TrainingData {
  std::vector<std::string> classes;
  std::int64_t images = 0;             ///< to train on
  bool validates_on_training = false;  ///< the data have one split only
};

/// Opens the data. Throws Error (usage, input).
[[nodiscard]] TrainingData open_data(const std::string& data);

/// The command line of one run.
[[nodiscard]] std::string command_of(TrainRequest request, std::int64_t seed);

/// One for each run, by seed, without a folder. Throws Error (usage, input) for anything that is
/// wrong, before anything runs.
[[nodiscard]] std::vector<engine::TrainingRequest> plan_runs(const TrainRequest& asked,
                                                             const TrainingData& data);

}  // namespace rooflab::task
