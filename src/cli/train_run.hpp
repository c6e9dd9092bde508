#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "console.hpp"
#include "rooflab/engine/training.hpp"
#include "rooflab/training/training_summary.hpp"
#include "rooflab/training/training_trial.hpp"
#include "train_options.hpp"

namespace rooflab::cli {

/// Gives every request its folder, `run-1`, `run-2`, ..., and with `resume` takes up what these
/// hold. Throws Error (usage) for a folder that holds a run already, without `resume`; Error
/// (input) for one that was trained otherwise.
void place_runs(std::vector<engine::TrainingRequest>& requests, const std::filesystem::path& folder,
                bool resume);

/// Trains one after the other, each in a worker of its own, until the last one or until
/// InterruptGuard is interrupted; the run that trained then is the last. Runs whose folder holds a
/// complete one are not trained again. Their names are the folders'. Shows on a terminal how far
/// all of them are.
[[nodiscard]] std::vector<training::NamedTraining> run_trainings(
    const std::vector<engine::TrainingRequest>& requests, const std::filesystem::path& worker,
    const Console& console);

/// Trains for some seconds as given, then with each piece of advice added one after another; kept
/// is what makes it faster by more than its spread. At most a handful.
[[nodiscard]] std::vector<training::TrainingTrial> try_advice(const TrainOptions& options,
                                                              const TrainingData& data,
                                                              const std::filesystem::path& worker,
                                                              const Console& console);

/// The runs in folders of `train`, or in folders of such: every `run.json`. Throws Error (input)
/// for a folder without any.
[[nodiscard]] std::vector<training::NamedTraining> read_runs(
    const std::vector<std::string>& folders);

}  // namespace rooflab::cli
