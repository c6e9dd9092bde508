// One case, one process. The worker reads the case from a file, says on its standard output how far
// it is (a JSON object a line) and writes the record to a file when it has one, atomically. What
// the record does not say, its end says: exit status, signal, time limit.

#include "rooflab/engine/worker.hpp"

#include <unistd.h>

#include <algorithm>
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
#include "system/installation.hpp"
#include "system/path_status.hpp"
#include "system/temporary_folder.hpp"
#include "worker_build.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::Record;

constexpr double least_step_s = 1e-9;  // no clock tells less
constexpr std::string_view installed_workers = "libexec/rooflab";
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

std::vector<fs::path> worker_folders(const fs::path& prefix) {
  if (!prefix.empty()) return {prefix / "bin", prefix / installed_workers};
  if (const auto folder = chosen_path("ROOFLAB_WORKERS")) return {*folder};
  const std::vector<fs::path> prefixes = installation_prefixes();
  std::vector<fs::path> folders;
  if (!prefixes.empty()) folders.push_back(prefixes.front() / "bin");
  // Debian's package has a worker for processors alone, so one that was built here comes before it.
  std::error_code ignored;
  if (const auto built = built_workers_folder();
      built && fs::is_directory(*built / current_workers, ignored)) {
    folders.push_back(*built / current_workers);
  }
  for (const fs::path& each : prefixes) folders.push_back(each / installed_workers);
  return folders;
}

std::string searched_folders(const fs::path& prefix) {
  std::vector<std::string> folders;
  for (const fs::path& each : worker_folders(prefix)) folders.push_back(each.string());
  return join(folders, ", ");
}

std::optional<fs::path> find_worker(std::string_view name, const fs::path& prefix) {
  for (const fs::path& folder : worker_folders(prefix)) {
    if (auto found = executable(folder / name)) return found;
  }
  return std::nullopt;
}

fs::path chosen_worker(const std::string& worker, const fs::path& prefix) {
  const bool is_path = worker.find('/') != std::string::npos;
  std::optional<fs::path> found = is_path ? executable(worker) : find_worker(worker, prefix);
  if (!found && !is_path) found = find_program(worker);
  if (found) return fs::absolute(*found);
  throw Error(
      ErrorKind::input, format("no worker '{}' was found", worker),
      is_path ? "a worker is a program that can be run (docs/formats/worker.md)"
              : format("it is not in {}, nor in the folders of PATH", searched_folders(prefix)));
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
  require_usable_build(read(For<WorkerBuild>()), worker);
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
  if (written.value) {
    const std::optional<record::Timing>& timing = written.value->timing;
    const auto is_time = [](double step_s) { return step_s >= least_step_s; };
    if (written.value->status != record::Status::ok ||
        (timing && !timing->steps_s.empty() && std::ranges::all_of(timing->steps_s, is_time))) {
      return *std::move(written.value);
    }
    written.fault = "the worker says that all went well, but not how long each step took";
  }
  Record record = record_of_end(request, child);
  if (!written.fault.empty()) record.message = written.fault;
  return record;
}

}  // namespace rooflab::engine
