#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/system/file.hpp"
#include "system/child_process.hpp"
#include "system/path_status.hpp"

/// Common functions for running cases and probes.
namespace rooflab::engine {

/// Bytes to keep from the end of a worker's error output.
inline constexpr std::size_t kept_error_bytes = 4000;

/// Runs `WORKER VERB REQUEST RESULT` in a separate process group until it ends, is stopped or is
/// out of time, and passes on its progress lines. Throws Error (capability) when it cannot be
/// started, and Error (system) with its message when it could not write a file.
[[nodiscard]] ChildResult run_worker(const RunOptions& options, std::string_view verb,
                                     const std::filesystem::path& request,
                                     const std::filesystem::path& result);

/// Value in a worker's file, or why it cannot be read; both are empty without a file.
template <class T>
struct WorkerFile {
  std::optional<T> value;
  std::string fault;  ///< `the worker wrote a record that cannot be read: REASON`
};
/// Reads a worker's file. Throws Error (input) when the system cannot read it, which is not the
/// worker's fault.
template <Filed T>
[[nodiscard]] WorkerFile<T> read_worker_file(const std::filesystem::path& file) {
  if (!is_file(file)) return {};
  const std::string text = read_file(file);
  try {
    return {from_file_json<T>(parse_json(text, file.string()), file.string()), {}};
  } catch (const Error& error) {
    return {std::nullopt, format("the worker wrote a {} that cannot be read: {}",
                                 file_kind_of(For<T>{}).title, error.what())};
  }
}

/// The last line that is not empty.
[[nodiscard]] std::string last_line(std::string_view errors);

/// Status and message for a worker that ended without a result.
struct WorkerEnd {
  record::Status status = record::Status::failed;
  std::string message;
};
[[nodiscard]] WorkerEnd end_of(const ChildResult& child);

}  // namespace rooflab::engine
