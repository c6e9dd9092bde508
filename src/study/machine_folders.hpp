#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "study_origin.hpp"

/// One study on several machines. A folder of results belongs to one machine; other machines have
/// equal folders below it:
///
///     study.json, cases/, runs/                     of the first machine
///     machines/1f00aa7e/study.json, cases/, ...     of another one: hash of its hardware
namespace rooflab::study {

/// Folder of a machine's results in `root`: `root` itself if it is empty, or if its results are
/// from equal or unknown hardware. Throws Error (input) for a study.json that cannot be read.
[[nodiscard]] std::filesystem::path folder_of_machine(const std::filesystem::path& root,
                                                      const std::optional<Machine>& machine);

/// `root` if it has results of the study, and the folders of other machines in it.
[[nodiscard]] std::vector<std::filesystem::path> machine_folders(const std::filesystem::path& root);

/// Choice between two results of one case on one machine.
enum class TwoRuns {
  are_refused,  ///< shards of one run must not share cases
  take_newer,   ///< take the one that began later; a failed one only without another
};

/// Copies the outcomes of folders of the study with the origin's title into `root`, each into the
/// folder of its machine. Missing parts of `origin` are taken from the first folder that has them.
/// Everything is read before anything is written. Throws Error (input) for a folder without any
/// outcome or of another study, and for two runs of a case where they are refused.
void take_results(std::span<const std::filesystem::path> folders, StudyOrigin origin,
                  const std::filesystem::path& root, TwoRuns two_runs);

}  // namespace rooflab::study
