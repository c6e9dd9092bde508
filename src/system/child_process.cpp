// The child's input is a file in memory, so that nothing has to be written while it runs; its
// output and errors are read from pipes until both are closed or time is up.

#include "child_process.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "file_descriptor.hpp"
#include "memory_kills.hpp"
#include "pipe.hpp"
#include "process_start.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

[[noreturn]] void fail(std::string_view what, int error) {
  throw Error(ErrorKind::capability,
              format("{}: {}", what, std::generic_category().message(error)));
}

FileDescriptor file_in_memory(std::string_view content) {
  FileDescriptor file(::memfd_create("input", MFD_CLOEXEC));
  if (file.number() < 0) fail("no file in memory", errno);
  if (!write_all(file, content)) fail("cannot write to a file in memory", errno);
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

/// This process' environment, and those variables instead, with the C locale, which fixes how
/// numbers are read and written.
std::vector<std::string> child_environment(const std::map<std::string, std::string>& instead) {
  std::vector<std::string> variables;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool replaced = text.starts_with("LC_") || text.starts_with("LANG") ||
                          text.starts_with("GNUTERM=") ||
                          instead.contains(std::string(text.substr(0, text.find('='))));
    if (!replaced) variables.emplace_back(text);
  }
  variables.emplace_back("LC_ALL=C.UTF-8");
  for (const auto& [name, value] : instead) variables.push_back(format("{}={}", name, value));
  return variables;
}

pid_t start(const std::filesystem::path& program, std::span<const std::string> arguments,
            std::array<int, 3> streams, const ChildOptions& options) {
  ProcessStart start;
  // Not one of PATH that has the name of a file here.
  start.words = {(program.has_parent_path() ? program : "." / program).string()};
  start.words.insert(start.words.end(), arguments.begin(), arguments.end());
  start.variables = child_environment(options.environment);
  start.streams = streams;
  start.own_group = options.own_group;
  start.ends_with_us = true;  // this thread waits for it below
  // Batch systems send them to every process of a job before its time is up; the child cannot know.
  start.ignored_signals = {SIGUSR1, SIGUSR2};
  const StartedProcess child = start_process(start);
  if (child.error != 0) fail(format("cannot start {}", program.string()), child.error);
  return child.pid;
}

using Clock = std::chrono::steady_clock;

/// A child that runs: reads what it says, ends it when asked to or when time is up.
class Supervision {
 public:
  Supervision(pid_t child, const ChildOptions& options, ChildResult& result)
      : child_(child), options_(options), result_(result) {
    if (options.timeout) deadline_ = Clock::now() + *options.timeout;
  }

  /// Reads both streams to their ends, or until the child was killed. What a child left running may
  /// hold them open: once it ended, what it said is read and no more is waited for.
  void read(int output, int errors) {
    std::array<pollfd, 2> streams = {pollfd{output, POLLIN, 0}, pollfd{errors, POLLIN, 0}};
    while (!killed_ && (streams[0].fd >= 0 || streams[1].fd >= 0)) {
      check();
      const bool ended = has_ended(WNOHANG);
      const int ready = ::poll(streams.data(), streams.size(), ended ? 0 : waiting_ms);
      if (ready == 0 && ended) return;
      if (ready <= 0) continue;
      if (streams[0].revents != 0 && !read_output(output)) streams[0].fd = -1;
      if (streams[1].revents != 0 && !read_errors(errors)) streams[1].fd = -1;
    }
  }

  /// Waits for the end; the wait status.
  int wait() {
    // Most end with their output; one that only closed it is checked less and less often.
    useconds_t pause_us = 500;
    while (!has_ended(killed_ ? 0 : WNOHANG)) {
      check();
      ::usleep(pause_us);
      pause_us = std::min<useconds_t>(2 * pause_us, waiting_ms * 1000);
    }
    return *status_;
  }

  /// Kills and reaps the child: no child outlives an exception of the caller's functions.
  void end() {
    if (status_) return;
    kill();
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  static constexpr int waiting_ms = 50;

  bool has_ended(int options) {
    int status = 0;
    if (!status_) {
      const pid_t ended = ::waitpid(child_, &status, options);
      if (ended == child_) status_ = status;
      if (ended < 0 && errno != EINTR) fail("cannot learn how a child ended", errno);
    }
    return status_.has_value();
  }

  void check() {
    const auto now = Clock::now();
    if (now >= deadline_ && !killed_) {
      result_.timed_out = true;
      kill();
    }
    if (!result_.stopped && options_.should_stop && options_.should_stop()) {
      result_.stopped = true;
      patience_ = now + std::chrono::seconds(2);
      signal(SIGTERM);
    }
    if (now >= patience_ && !killed_) kill();
  }

  void kill() {
    killed_ = true;
    signal(SIGKILL);
  }
  void signal(int number) const {
    if (status_) return;  // the number may be another process' by now
    ::kill(options_.own_group ? -child_ : child_, number);
  }

  bool read_output(int descriptor) {
    std::string piece;
    const bool more = read_some(descriptor, piece);
    said_ += piece.size();
    if (said_ > options_.most_output) {
      result_.said_too_much = true;
      kill();
    } else if (!options_.on_output) {
      result_.output += piece;
    } else if (!piece.empty()) {
      options_.on_output(piece);
    }
    return more;
  }

  bool read_errors(int descriptor) {
    const bool more = read_some(descriptor, result_.errors);
    if (result_.errors.size() > options_.kept_errors) {
      result_.errors.erase(0, result_.errors.size() - options_.kept_errors);
    }
    return more;
  }

  /// Appends what is there; false at the end of the stream.
  static bool read_some(int descriptor, std::string& text) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  pid_t child_;
  const ChildOptions& options_;
  ChildResult& result_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::size_t said_ = 0;                                   ///< bytes of standard output
  Clock::time_point patience_ = Clock::time_point::max();  ///< a child asked to end is killed then
  bool killed_ = false;
  std::optional<int> status_;  ///< once it ended
};

}  // namespace

std::optional<std::filesystem::path> find_program(std::string_view name) {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return std::nullopt;
  for (const std::string& folder : split(path, ':')) {
    if (folder.empty()) continue;
    std::filesystem::path candidate = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

ChildResult run_child(const std::filesystem::path& program, std::span<const std::string> arguments,
                      const ChildOptions& options) {
  const std::optional<std::int64_t> kills_before = memory_kills_here();
  FileDescriptor input_file = file_in_memory(options.input);
  Pipe output;
  Pipe errors;
  const pid_t child =
      start(program, arguments,
            {input_file.number(), output.write_end.number(), errors.write_end.number()}, options);
  output.write_end.close();
  errors.write_end.close();

  ChildResult result;
  Supervision supervision(child, options, result);
  int status = 0;
  try {
    supervision.read(output.read_end.number(), errors.read_end.number());
    status = supervision.wait();
  } catch (...) {
    supervision.end();
    throw;
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && kills_before) {
    result.killed_for_memory = memory_kills_here() != kills_before;
  }
  return result;
}

}  // namespace rooflab
