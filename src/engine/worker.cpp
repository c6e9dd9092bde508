// One case, one process. The worker reads the case from a file, says on its standard output how far
// it is (a JSON object a line) and writes the record to a file when it has one, atomically. What
// the record does not say, its end says: exit status, signal, time limit.

#include "rooflab/engine/worker.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "rooflab/base/child_process.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/text_form.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::Record;
using record::Status;

constexpr std::chrono::seconds describe_timeout{60};
constexpr std::size_t kept_error_bytes = 4000;

std::optional<fs::path> executable(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || ::access(path.c_str(), X_OK) != 0) return std::nullopt;
  return path;
}

/// A folder of its own for the files of one case; it vanishes with this.
class CaseFolder {
 public:
  CaseFolder() {
    std::string name = (fs::temp_directory_path() / "rooflab-case-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Error(ErrorKind::capability,
                  format("cannot make a folder in {}", fs::temp_directory_path().string()),
                  "TMPDIR names another place");
    }
    path_ = name;
  }
  ~CaseFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  [[nodiscard]] fs::path file(std::string_view name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// The case with all its values in files.
Case with_values_in_files(Case request, const CaseFolder& folder) {
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

/// Cuts what a worker says into lines; a line that is no progress is ignored.
class ProgressReader {
 public:
  explicit ProgressReader(std::function<void(const Progress&)> report)
      : report_(std::move(report)) {}

  void read(std::string_view piece) {
    line_ += piece;
    std::size_t end = 0;
    while ((end = line_.find('\n')) != std::string::npos) {
      say(line_.substr(0, end));
      line_.erase(0, end + 1);
    }
  }

 private:
  void say(const std::string& line) const {
    if (!report_ || !line.starts_with('{')) return;
    try {
      const Json json = parse_json(line, "progress");
      const JsonFields fields(json, "progress");
      report_({fields.text("stage"), fields.number("done"), fields.number("left_s")});
    } catch (const Error&) {
      // Talk of a library, not ours.
    }
  }

  std::function<void(const Progress&)> report_;
  std::string line_;
};

/// The last line that says something.
std::string last_line(std::string_view errors) {
  std::string_view rest = trim(errors);
  const std::size_t end = rest.rfind('\n');
  return std::string(end == std::string_view::npos ? rest : trim(rest.substr(end + 1)));
}

/// Of a worker that left no record.
Record record_of_end(const Case& request, const ChildResult& child) {
  Record record;
  record.identity = request.identity;
  record.identity.graph = graph::to_text(request.graph);
  record.environment.command = request.identity.command;
  record.environment.device.kind =
      request.identity.device.substr(0, request.identity.device.find(':'));
  record.status = Status::crashed;
  constexpr int killed = 128 + SIGKILL;
  const std::string last = last_line(child.errors);
  const std::string said = last.empty() ? "" : format("; it said last: {}", last);
  if (child.stopped) {
    record.status = Status::interrupted;
    record.message = "stopped by the user";
  } else if (child.timed_out) {
    record.status = Status::failed;
    record.message = "the time limit ended it" + said;
  } else if (child.exit_status == killed) {
    record.status = Status::oom;
    record.message =
        "the system killed the worker (SIGKILL): host memory ran out, most likely" + said;
  } else if (child.exit_status > 128) {
    record.message = format("the worker died of signal {}{}", child.exit_status - 128, said);
  } else {
    record.status = Status::failed;
    record.message =
        last.empty() ? format("the worker ended with status {} and said nothing", child.exit_status)
                     : last;
  }
  return record;
}

}  // namespace

std::optional<fs::path> find_worker(std::string_view name) {
  if (const char* const folder = std::getenv("ROOFLAB_WORKERS"); folder != nullptr) {
    return executable(fs::path(folder) / name);
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path prefix = program.parent_path().parent_path();
  for (const fs::path& folder : {prefix / "bin", prefix / "libexec/rooflab"}) {
    if (auto found = executable(folder / name)) return found;
  }
  return std::nullopt;
}

Capabilities describe(const fs::path& worker) {
  const std::array<std::string, 1> arguments = {"describe"};
  const ChildResult child =
      run_child(worker, arguments, {.timeout = describe_timeout, .kept_errors = kept_error_bytes});
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::capability,
                format("the worker {} does not answer: {}", worker.string(), why),
                "run it by hand to see what is wrong: " + worker.string() + " describe");
  };
  if (child.timed_out) fail(format("nothing within {} s", describe_timeout.count()));
  if (child.exit_status != 0) {
    fail(format("status {}; {}", child.exit_status, last_line(child.errors)));
  }
  try {
    const Json json = parse_json(child.output, worker.string());
    const JsonFields fields(json, worker.string());
    Capabilities result;
    result.worker = fields.text("worker");
    result.path = worker;
    result.libraries = fields.text_map("libraries");
    const Json& devices = fields.value("devices");
    if (!devices.is_array()) fields.fail("devices", "must be a list of objects");
    for (const Json& device : devices) {
      result.devices.push_back(record::device_identity_from_json(device, worker.string()));
    }
    result.missing = fields.texts("missing");
    return result;
  } catch (const Error& error) {
    fail(error.full_message());
  }
  return {};
}

Record run_case(const Case& request, const RunOptions& options) {
  const CaseFolder folder;
  const fs::path case_file = folder.file("case.json");
  const fs::path record_file = folder.file("record.json");
  write_file_atomically(case_file, to_json(with_values_in_files(request, folder))
                                       .dump(-1, ' ', false, Json::error_handler_t::replace));
  ProgressReader progress(options.on_progress);
  ChildOptions child_options;
  child_options.on_output = [&progress](std::string_view piece) { progress.read(piece); };
  child_options.should_stop = options.should_stop;
  child_options.kept_errors = kept_error_bytes;
  child_options.own_group = true;
  if (options.timeout_s > 0.0) {
    child_options.timeout = std::chrono::milliseconds(
        static_cast<std::chrono::milliseconds::rep>(options.timeout_s * 1000.0));
  }
  const std::array<std::string, 3> arguments = {"run", case_file.string(), record_file.string()};
  const ChildResult child = run_child(options.worker, arguments, child_options);

  std::error_code ignored;
  if (!child.stopped && !child.timed_out && fs::is_regular_file(record_file, ignored)) {
    try {
      return record::read_record(record_file);
    } catch (const Error& error) {
      Record record = record_of_end(request, child);
      record.message = format("the worker wrote a record that cannot be read: {}", error.what());
      return record;
    }
  }
  return record_of_end(request, child);
}

}  // namespace rooflab::engine
