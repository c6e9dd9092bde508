// How one rank of a data-parallel training is measured.
//
// 1. Set-up: library, device, weights, meeting of the ranks, rank 0's weights for all.
// 2. First step and warm-up as for one device (measurement.cpp); rank 0 says when it is enough.
// 3. Timed steps, marks around each, the device waited for between chunks of about 0.2 s; after
//    each chunk rank 0 says whether another follows, and every rank writes down what it has. A
//    monitor samples meanwhile.
// 4. The same step without any exchange (no_sync in PyTorch's words): what the devices need for
//    themselves. Then all-reduces of the same buckets, while nothing else runs.
// 5. A few steps with the device's records of its kernels.
//
// Sample i of the global batch depends on the seed and on i alone: N ranks train on exactly what
// one rank with the whole batch trains on.

#include "rank_run.hpp"

#include <cstdlib>
#include <iostream>

#include "notes/engine_notes.hpp"
#include "notes/record_notes.hpp"
#include "rank_measurement.hpp"

namespace rooflab::torch_worker {

int run_rank(const engine::ScaleRequest& request, const engine::RankPlace& place,
             const std::filesystem::path& result, const ProgressListener& progress) {
  RankMeasurement run(request, place, result, progress);
  const int status = run.run();
  std::cout.flush();
  std::cerr.flush();
  std::_Exit(status);  // the tear-down of a communicator would wait for the other ranks
}

}  // namespace rooflab::torch_worker
