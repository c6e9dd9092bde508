#pragma once

#include <filesystem>
#include <vector>

#include "rooflab/task/session.hpp"
#include "training_plan.hpp"

namespace rooflab::task {

/// Trains for some seconds as given, then with each piece of advice added one after another; kept
/// is what makes it faster by more than its spread. At most a handful.
[[nodiscard]] std::vector<training::TrainingTrial> try_advice(TrainRequest request,
                                                              const TrainingData& data,
                                                              const std::filesystem::path& worker,
                                                              const Session& session);

}  // namespace rooflab::task
