// One case, one process. The worker reads the case from a file, says on its standard output how far
// it is (a JSON object a line) and writes the record to a file when it has one, atomically. What
// the record does not say, its end says: exit status, signal, time limit.

#include "rooflab/engine/worker.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/system/file.hpp"
#include "system/child_process.hpp"
#include "system/environment_variable.hpp"
#include "system/path_status.hpp"
#include "system/temporary_folder.hpp"
#include "worker_build.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::Record;

constexpr std::size_t longest_description = std::size_t{1} << 20U;

/// The path if a file is there. Throws Error (input) for one that cannot be run, and where the
/// system does not tell.
std::optional<fs::path> executable(const fs::path& path) {
  if (!is_file(path)) return std::nullopt;
  if (::access(path.c_str(), X_OK) == 0) return path;
  throw Error(ErrorKind::input, format("cannot run '{}': {}", path.string(), std::strerror(errno)),
              "it needs permission to be run: chmod +x");
}

/// The case with all its values in files.
Case with_values_in_files(Case request, const TemporaryFolder& folder) {
  if (request.bytes.empty()) return request;
  const fs::path file = folder.file("values.bin");
  std::string content;
  for (const auto& [name, bytes] : request.bytes) {
    request.values[name] = {file, static_cast<std::int64_t>(content.size())};
    content += bytes;
  }
  write_file_atomically(file, content);
  request.bytes.clear();
  return request;
}

/// Record of a worker that left none.
Record record_of_end(const Case& request, const ChildResult& child) {
  Record record;
  record.identity = request.identity;
  record.identity.graph = graph::to_text(request.graph);
  record.environment.command = request.identity.command;
  record.environment.device.kind =
      request.identity.device.substr(0, request.identity.device.find(':'));
  const WorkerEnd end = end_of(child);
  record.status = end.status;
  record.message = end.message;
  return record;
}

}  // namespace

std::optional<fs::path> find_worker(std::string_view name) {
  if (const auto folder = chosen_path("ROOFLAB_WORKERS")) return executable(*folder / name);
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path prefix = program.parent_path().parent_path();
  if (auto found = executable(prefix / "bin" / name)) return found;
  // Debian's package has a worker for processors alone, so one that was built here comes before it.
  if (const auto built = built_workers_folder();
      built && fs::is_directory(*built / current_workers, ignored)) {
    if (auto found = executable(*built / current_workers / name)) return found;
  }
  return executable(prefix / "libexec/rooflab" / name);
}

std::optional<fs::path> built_workers_folder() {
  std::optional<fs::path> cache = absolute_path(environment_variable("XDG_CACHE_HOME"));
  if (!cache) {
    cache = absolute_path(environment_variable("HOME"));
    if (!cache) return std::nullopt;
    *cache /= ".cache";
  }
  return *cache / "rooflab/workers" / ROOFLAB_VERSION;
}

Capabilities describe(const fs::path& worker, std::chrono::milliseconds limit) {
  const std::array<std::string, 1> arguments = {"describe"};
  const ChildResult child = run_child(worker, arguments,
                                      {.timeout = limit,
                                       .most_output = longest_description,
                                       .kept_errors = kept_error_bytes,
                                       .own_group = true});
  const auto fail = [&](const std::string& why) {
    const auto built = built_workers_folder();
    throw Error(
        ErrorKind::capability, format("the worker {} does not answer: {}", worker.string(), why),
        built && worker.string().starts_with(built->string())
            ? "PyTorch may have changed since it was built: rooflab doctor --build-worker "
              "builds it again"
            : "run it by hand to see what is wrong: " + shell_line({worker.string(), "describe"}));
  };
  if (child.said_too_much) fail(format("more than {} bytes", longest_description));
  if (child.timed_out)
    fail(format("nothing within {:g} s", std::chrono::duration<double>(limit).count()));
  if (child.exit_status != 0) {
    fail(format("status {}; {}", child.exit_status, last_line(child.errors)));
  }
  const auto read = [&]<class Value>(For<Value>) {
    try {
      return from_json<Value>(parse_json(child.output, worker.string()), worker.string());
    } catch (const Error& error) {
      fail(error.full_message());
    }
    return Value();
  };
  // First: the description of another build may have other members.
  require_own_build(read(For<WorkerBuild>()), worker);
  auto result = read(For<Capabilities>());
  result.path = worker;
  return result;
}

Record run_case(const Case& request, const RunOptions& options) {
  const TemporaryFolder folder("case");
  const fs::path case_file = folder.file("case.json");
  const fs::path record_file = folder.file("record.json");
  save_file(case_file, with_values_in_files(request, folder));
  const ChildResult child = run_worker(options, "run", case_file, record_file);

  if (child.stopped || child.timed_out) return record_of_end(request, child);
  WorkerFile<Record> written = read_worker_file<Record>(record_file);
  if (written.value) return *std::move(written.value);
  Record record = record_of_end(request, child);
  if (!written.fault.empty()) record.message = written.fault;
  return record;
}

}  // namespace rooflab::engine
