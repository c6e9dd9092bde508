#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/child_process.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/record/record.hpp"

/// What running a case and running a probe have in common.
namespace rooflab::engine {

/// Bytes kept of a worker's error output: its last words are enough.
inline constexpr std::size_t kept_error_bytes = 4000;

/// Runs `WORKER VERB REQUEST RESULT` in a process group of its own until it ends, is stopped or out
/// of time, and passes on its progress lines. Throws Error (capability) when it cannot be started,
/// Error (system) with its words when it could not write a file.
[[nodiscard]] ChildResult run_worker(const RunOptions& options, std::string_view verb,
                                     const std::filesystem::path& request,
                                     const std::filesystem::path& result);

/// The last line that says something.
[[nodiscard]] std::string last_line(std::string_view errors);

/// How a worker ended that left no result.
struct WorkerEnd {
  record::Status status = record::Status::failed;
  std::string message;
};
[[nodiscard]] WorkerEnd end_of(const ChildResult& child);

}  // namespace rooflab::engine
