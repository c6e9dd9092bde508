#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/engine/worker.hpp"
#include "system/child_process.hpp"

/// The processes of one job on this host.
namespace rooflab::engine {

struct RankEnd {
  int rank = 0;
  ChildResult child;
  bool ended_by_us = false;  ///< because another rank had failed
};

/// Runs `WORKER VERB REQUEST RESULT.R` for every rank at once and waits for all; they find each
/// other at a free port of this host. When one fails, the others get a few seconds to report and
/// are then ended. Progress is that of rank 0; functions of `options` may be called from several
/// threads. Returns the ends of the ranks in the order in which they ended. Throws Error
/// (capability) when they cannot be started.
[[nodiscard]] std::vector<RankEnd> run_rank_processes(int ranks, std::string_view verb,
                                                      const std::filesystem::path& request,
                                                      const std::filesystem::path& result,
                                                      const RunOptions& options);

/// Result file of a rank: `RESULT.3`.
[[nodiscard]] std::filesystem::path result_of_rank(const std::filesystem::path& result, int rank);

/// The first rank that failed by itself; nullptr: none.
[[nodiscard]] const RankEnd* first_failure(const std::vector<RankEnd>& ends);

}  // namespace rooflab::engine
