#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rooflab/task/train.hpp"
#include "run_list.hpp"

namespace rooflab::task {

/// Gives each run a separate folder, `run-1`, `run-2`, ... Throws Error (usage, input) where a
/// folder already has a run that must not be resumed, or that was trained with other settings.
void place_runs(std::vector<engine::TrainingRequest>& requests, const std::filesystem::path& folder,
                bool resume);

/// Runs trainings one after another, each in a separate worker, until the last one or until the
/// session is stopped. Complete runs that are resumed are only read.
[[nodiscard]] RunList<record::TrainingRun> run_trainings(
    const std::vector<engine::TrainingRequest>& requests, const std::filesystem::path& worker,
    const Session& session);

/// Files with this name in a run's folder and its subfolders: run-2 before run-10.
[[nodiscard]] std::vector<std::filesystem::path> files_of_runs(const std::filesystem::path& folder,
                                                               std::string_view name);

/// Reads the runs in folders of `train`, or in folders of these: every `run.json`. Throws Error
/// (input) for a folder without any.
[[nodiscard]] std::vector<training::NamedTraining> read_runs(
    const std::vector<std::string>& folders);

}  // namespace rooflab::task
