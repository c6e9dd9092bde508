#include "worker_process.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <utility>

#include "base/exit_status.hpp"
#include "base/fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::engine {
namespace {

/// Cuts what a worker says into lines; a line that is not progress is ignored.
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
      report_(from_json<Progress>(parse_json(line, "progress"), "progress"));
    } catch (const Error&) {
      // Talk of a library, not ours.
    }
  }

  std::function<void(const Progress&)> report_;
  std::string line_;
};

}  // namespace

ChildResult run_worker(const RunOptions& options, std::string_view verb,
                       const std::filesystem::path& request, const std::filesystem::path& result) {
  ProgressReader progress(options.on_progress);
  ChildOptions child_options;
  child_options.on_output = [&progress](std::string_view piece) { progress.read(piece); };
  child_options.should_stop = options.should_stop;
  child_options.kept_errors = kept_error_bytes;
  child_options.own_group = true;
  child_options.environment = options.environment;
  if (options.timeout_s > 0.0) {
    child_options.timeout = std::chrono::milliseconds(
        static_cast<std::chrono::milliseconds::rep>(options.timeout_s * 1000.0));
  }
  const std::array<std::string, 3> arguments = {std::string(verb), request.string(),
                                                result.string()};
  ChildResult child = run_child(options.worker, arguments, child_options);
  if (child.exit_status == system_exit_status) {
    throw Error(ErrorKind::system, last_line(child.errors));
  }
  return child;
}

std::string last_line(std::string_view errors) {
  std::string_view rest = trim(errors);
  const std::size_t end = rest.rfind('\n');
  return std::string(end == std::string_view::npos ? rest : trim(rest.substr(end + 1)));
}

WorkerEnd end_of(const ChildResult& child) {
  using record::Status;
  constexpr int killed = 128 + SIGKILL;
  const std::string last = last_line(child.errors);
  const std::string said = last.empty() ? "" : format("; it said last: {}", last);
  if (child.stopped) return {Status::interrupted, "stopped by the user"};
  if (child.timed_out) return {Status::failed, "the time limit ended it" + said};
  if (child.exit_status == killed) {
    if (child.killed_for_memory == false) {
      return {Status::crashed, "the worker was killed (SIGKILL), not for memory" + said};
    }
    return {Status::oom, format("the system killed the worker (SIGKILL): host memory ran out{}{}",
                                child.killed_for_memory ? "" : ", most likely", said)};
  }
  if (child.exit_status > 128) {
    return {Status::crashed,
            format("the worker died of signal {}{}", child.exit_status - 128, said)};
  }
  if (!last.empty()) return {Status::failed, last};
  return {Status::failed,
          format("the worker ended with status {} and said nothing", child.exit_status)};
}

}  // namespace rooflab::engine
