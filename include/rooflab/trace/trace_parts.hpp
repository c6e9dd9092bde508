#pragma once

#include <string>
#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::trace {

/// Record of one process of a capture: a rank of a job.
struct TracePart {
  record::Record record = {};
  std::string name = {};  ///< `python3 (417)`, if needed with its thread; empty: the whole record
};

/// Splits a trace into its processes that launched work, sorted by their devices: for captures of
/// several ranks and merged traces. Threads of one process that mark steps at the same time and
/// launch own work count as processes. A record of one process is its only part. Losses of the file
/// go to the first part; ranges of processes that launched nothing are left out.
[[nodiscard]] std::vector<TracePart> parts_of(record::Record record);

}  // namespace rooflab::trace
