#pragma once

#include <filesystem>

#include "engine/ranks.hpp"
#include "measurement.hpp"

namespace rooflab::torch_worker {

/// Runs one rank of a link probe: all-reduces of 4 KiB to 256 MiB over all ranks, kernels
/// concurrent with all-reduces (overlap_run.hpp), and with two ranks copies from the device of rank
/// 0 to that of rank 1. Rank 0 writes the results to `result` after each size. Returns the exit
/// status: 0, or 1 after the reason on the error output.
[[nodiscard]] int run_link_rank(const engine::LinkRequest& request, const engine::RankPlace& place,
                                const std::filesystem::path& result,
                                const ProgressListener& progress);

}  // namespace rooflab::torch_worker
