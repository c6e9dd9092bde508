#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/child_process.hpp"
#include "base/path_status.hpp"
#include "base/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"
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

/// What a worker wrote into a file. Neither: it wrote none.
template <class T>
struct WorkerFile {
  std::optional<T> value;
  std::string fault;  ///< `the worker wrote a record that cannot be read: REASON`
};
/// Throws Error (input) when the system cannot read the file, which is not the worker's doing.
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

/// The last line that says something.
[[nodiscard]] std::string last_line(std::string_view errors);

/// How a worker ended that left no result.
struct WorkerEnd {
  record::Status status = record::Status::failed;
  std::string message;
};
[[nodiscard]] WorkerEnd end_of(const ChildResult& child);

}  // namespace rooflab::engine
