#pragma once

// A program that a test starts, watches and ends, with bounds on its time and memory.

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sandbox {

/// What a standard stream of the program is joined to.
enum class Stream : std::uint8_t {
  usual,   ///< input: nothing to read; output: a file
  closed,  ///< no descriptor at all
  full,    ///< /dev/full, where each write fails
  cut,     ///< output only: a pipe whose reader leaves after the first bytes, as `head -1` does
};

struct ChildRequest {
  std::vector<std::string> command;  ///< the program's path first
  std::filesystem::path folder;      ///< the folder that it works in
  std::filesystem::path output;      ///< a folder for the files `stdout` and `stderr`
  std::map<std::string, std::string> environment{};     ///< added to ours, or replacing it
  std::chrono::milliseconds limit{60'000};              ///< then it is killed
  std::optional<std::chrono::microseconds> kill_after;  ///< SIGKILL at that time
  std::size_t memory_limit = 0;                         ///< RLIMIT_AS in bytes; 0: none
  std::chrono::seconds processor_limit{0};              ///< RLIMIT_CPU; 0: none
  Stream in = Stream::usual;
  Stream out = Stream::usual;
  Stream err = Stream::usual;
};

struct ChildEnd {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool killed = false;  ///< `kill_after` ended it
  std::chrono::microseconds wall{};
  std::size_t peak_bytes = 0;  ///< the most memory that it held
  std::string output;          ///< empty unless the stream is `usual`
  std::string errors;
};

/// A started program. Throws std::runtime_error when the system refuses.
class ChildRun {
 public:
  explicit ChildRun(ChildRequest request);
  ~ChildRun();
  ChildRun(const ChildRun&) = delete;
  ChildRun& operator=(const ChildRun&) = delete;

  [[nodiscard]] ChildEnd wait();

 private:
  [[noreturn]] void become_program(int pipe_end) const;
  void watch(ChildEnd& end);

  ChildRequest request_;
  std::chrono::steady_clock::time_point start_;
  pid_t pid_ = -1;
  int cut_pipe_ = -1;
};

/// Starts a program and waits for its end.
[[nodiscard]] ChildEnd run(ChildRequest request);

/// Makes this process the parent of all that its children leave behind.
void adopt_orphans();

/// Waits until no descendant is left and returns the command lines of those that still run after
/// `patience`; kills these. Only for a process that adopts orphans and waits for no ChildRun.
[[nodiscard]] std::vector<std::string> end_orphans(std::chrono::milliseconds patience);

}  // namespace sandbox
