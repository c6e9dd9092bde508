#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rooflab/task/train.hpp"
#include "run_list.hpp"

namespace rooflab::task {

/// Puts each run into a folder of its own, `run-1`, `run-2`, ... Throws Error (usage, input) where
/// one holds a run already that is not to be taken up, or that was trained otherwise.
void place_runs(std::vector<engine::TrainingRequest>& requests, const std::filesystem::path& folder,
                bool resume);

/// One after the other, each in a worker of its own, until the last one or until the session is
/// stopped. Complete runs that are to be resumed are only read.
[[nodiscard]] RunList<record::TrainingRun> run_trainings(
    const std::vector<engine::TrainingRequest>& requests, const std::filesystem::path& worker,
    const Session& session);

/// The files of this name in a run's folder and in the folders within: run-2 before run-10.
[[nodiscard]] std::vector<std::filesystem::path> files_of_runs(const std::filesystem::path& folder,
                                                               std::string_view name);

/// The runs in folders of `train`, or in folders of such: every `run.json`. Throws Error (input)
/// for a folder without any.
[[nodiscard]] std::vector<training::NamedTraining> read_runs(
    const std::vector<std::string>& folders);

}  // namespace rooflab::task
