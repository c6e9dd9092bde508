// The child's input is a file in memory, so that nothing has to be written while it runs; its
// output and errors are read from pipes until both are closed or time is up.

#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
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

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::chart {
namespace {

[[noreturn]] void fail(std::string_view what, int error) {
  throw Error(ErrorKind::capability,
              format("{}: {}", what, std::generic_category().message(error)));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe", errno);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

FileDescriptor file_in_memory(std::string_view content) {
  FileDescriptor file(::memfd_create("input", MFD_CLOEXEC));
  if (file.number() < 0) fail("no file in memory", errno);
  while (!content.empty()) {
    const ssize_t written = ::write(file.number(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot write to a file in memory", errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

/// This process' environment with the C locale, which fixes how numbers are read and written.
std::vector<std::string> child_environment() {
  std::vector<std::string> variables;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool replaced =
        text.starts_with("LC_") || text.starts_with("LANG") || text.starts_with("GNUTERM=");
    if (!replaced) variables.emplace_back(text);
  }
  variables.emplace_back("LC_ALL=C.UTF-8");
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t start(const std::filesystem::path& program, std::span<const std::string> arguments, int input,
            int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);

  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = child_environment();
  std::vector<char*> word_pointers = pointers_to(words);
  std::vector<char*> variable_pointers = pointers_to(variables);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, word_pointers.data(),
                                  variable_pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(format("cannot start {}", program.string()), error);
  return child;
}

/// Reads what is there; false at the end of the stream.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// Reads both streams to their ends; false when time was up before.
bool read_until_closed(int output, int errors, std::chrono::steady_clock::time_point deadline,
                       ChildResult& result) {
  std::array<pollfd, 2> streams = {pollfd{output, POLLIN, 0}, pollfd{errors, POLLIN, 0}};
  const std::array<std::string*, 2> texts = {&result.output, &result.errors};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    const int ready = ::poll(streams.data(), streams.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams.at(i).revents == 0) continue;
      if (!read_some(streams.at(i).fd, *texts.at(i))) streams.at(i).fd = -1;
    }
  }
  return true;
}

/// Waits for a child that has closed its output; false when it does not end in time.
bool wait_until(pid_t child, std::chrono::steady_clock::time_point deadline, int& status) {
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    ::usleep(500);
  }
}

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
                      std::string_view input, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  FileDescriptor input_file = file_in_memory(input);
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  const pid_t child = start(program, arguments, input_file.number(), output.write_end.number(),
                            errors.write_end.number());
  output.write_end.close();
  errors.write_end.close();

  ChildResult result;
  int status = 0;
  const bool in_time =
      read_until_closed(output.read_end.number(), errors.read_end.number(), deadline, result) &&
      wait_until(child, deadline, status);
  if (!in_time) {
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.timed_out = true;
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace rooflab::chart
