#pragma once

#include <filesystem>

#include "engine/ranks.hpp"
#include "measurement.hpp"

namespace rooflab::torch_worker {

/// Runs the rank of this process and returns its exit status: 0, or 1 after the reason on the error
/// output. Rank 0 writes the ScaleRun to `result`. Every rank rewrites `result`.part with its
/// RankResult after each chunk of timed steps, so that these are kept when a rank dies.
[[nodiscard]] int run_rank(const engine::ScaleRequest& request, const engine::RankPlace& place,
                           const std::filesystem::path& result, const ProgressListener& progress);

}  // namespace rooflab::torch_worker
