#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "study_origin.hpp"

/// One study on several machines. A folder of results is of one machine; those of others are
/// folders of the same kind below it:
///
///     study.json, cases/, runs/                     of the machine that ran first
///     machines/1f00aa7e/study.json, cases/, ...     of another: the hash of its hardware
namespace rooflab::study {

/// Where a machine keeps its results in `root`: in `root` itself if they are of such hardware or of
/// none that is known, or if nothing is there. Throws Error (input) for a study.json that cannot be
/// read.
[[nodiscard]] std::filesystem::path folder_of_machine(const std::filesystem::path& root,
                                                      const std::optional<Machine>& machine);

/// `root` if it has results of the study, and the folders of other machines in it.
[[nodiscard]] std::vector<std::filesystem::path> machine_folders(const std::filesystem::path& root);

/// Which of two results of one case on one machine counts.
enum class TwoRuns {
  are_refused,  ///< shards of one run have no case in common
  take_newer,   ///< that began later; a failed one only where no other is
};

/// Copies the outcomes in folders of the study of that title into `root`, each to those of its
/// machine. What `origin` does not say of itself, the first folder that knows it does. Everything
/// is read before anything is written. Throws Error (input) for a folder without any outcome or of
/// another study, and for two runs of a case where they are refused.
void take_results(std::span<const std::filesystem::path> folders, StudyOrigin origin,
                  const std::filesystem::path& root, TwoRuns two_runs);

}  // namespace rooflab::study
