#include "worker_process.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <optional>

#include "base/exit_status.hpp"
#include "base/format.hpp"
#include "describe/fields.hpp"
#include "rooflab/base/error.hpp"
#include "worker_build.hpp"

namespace rooflab::engine {
namespace {

/// Cuts what a worker says into lines: its build, then progress. Others are talk of its libraries.
class WorkerTalk {
 public:
  explicit WorkerTalk(const RunOptions& options) : options_(options) {}

  /// Throws Error (capability) for a worker of another build, and for a program that is not a
  /// worker.
  void read(std::string_view piece) {
    said_ += piece.size();
    if (said_ > longest_talk) require_greeting();
    line_ += piece;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = line_.find('\n', begin)) != std::string::npos;) {
      take(line_.substr(begin, end - begin));
      begin = end + 1;
    }
    line_.erase(0, begin);
    // No line of ours is as long.
    if (line_.size() > longest_talk) line_.clear();
  }

  void require_greeting() const {
    if (greeted_) return;
    throw Error(ErrorKind::capability,
                format("{} is not a worker of this program: it does not say its version",
                       options_.worker.string()),
                "a worker prints its build first (docs/formats/worker.md); those of Rooflab are of "
                "one build with the program, and ROOFLAB_WORKERS names their folder");
  }

 private:
  static constexpr std::size_t longest_talk = std::size_t{1} << 20U;

  void take(const std::string& line) {
    if (!line.starts_with('{')) return;
    if (!greeted_) {
      if (const std::optional<WorkerBuild> build = read_as<WorkerBuild>(line)) {
        greeted_ = true;
        require_usable_build(*build, options_.worker);
        if (options_.name.empty() || build->worker == options_.name) return;
        throw Error(ErrorKind::capability,
                    format("the worker {} calls itself {}, and {} where it describes itself",
                           options_.worker.string(), build->worker, options_.name));
      }
    }
    if (!options_.on_progress) return;
    if (const auto progress = read_as<Progress>(line)) options_.on_progress(*progress);
  }

  template <class Value>
  static std::optional<Value> read_as(const std::string& line) {
    try {
      return from_json<Value>(parse_json(line, "output"), "output");
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  const RunOptions& options_;
  std::string line_;
  std::size_t said_ = 0;
  bool greeted_ = false;
};

}  // namespace

ChildResult run_worker(const RunOptions& options, std::string_view verb,
                       const std::filesystem::path& request, const std::filesystem::path& result) {
  WorkerTalk talk(options);
  ChildOptions child_options;
  child_options.on_output = [&talk](std::string_view piece) { talk.read(piece); };
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
    const std::string said = last_line(child.errors);
    throw Error(ErrorKind::system, said.empty() ? "the worker could not write a file" : said);
  }
  if (child.exit_status == 0) talk.require_greeting();
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
