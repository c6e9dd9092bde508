#pragma once

#include <string>
#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::trace {

/// What one process of a capture did: a rank of a job.
struct TracePart {
  record::Record record;
  std::string name;  ///< `python3 (417)`, with its thread where one does not tell; empty: all of it
};

/// The processes of a trace that launched work, each as a record of its own, by their devices:
/// captures of several ranks, traces that were merged. Threads of one process that mark steps at
/// the same time and launch work of their own count as processes. A record without several is its
/// only part. What the file lost stays with the first one; ranges of processes that launched
/// nothing are left out.
[[nodiscard]] std::vector<TracePart> parts_of(record::Record record);

}  // namespace rooflab::trace
