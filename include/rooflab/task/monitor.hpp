#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// GPUs, and a command with its descendants, while it runs.
struct MonitorRequest {
  static constexpr std::string_view command = "monitor";

  std::vector<std::string> program;         ///< what to run, with its arguments; empty: nothing
  std::vector<std::string> device{"all"};   ///< GPUs by number; or `all`, or `none`
  double period = 0.1;                      ///< seconds
  std::optional<double> duration;           ///< seconds; nullopt: until a signal, or the end
  std::string from;                         ///< read this record instead
  std::vector<std::filesystem::path> keep;  ///< files of the record, written while it grows, too
};
const Parameters& parameters_of(For<MonitorRequest>);

struct MonitorResult {
  record::Record record;
  int exit_code = 0;  ///< exit code of the command
};

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT end the recording, and go to the command, if any; so do the
/// signals that end nothing. Throws Error (usage, input, capability) before anything starts, and
/// NotStarted.
[[nodiscard]] MonitorResult run(const MonitorRequest& request, Session& session);

class WatchedCommand;

/// For its life, signals that ask for an end (SIGINT, SIGTERM, SIGHUP, SIGQUIT) or are notices to a
/// command (SIGUSR1, SIGUSR2, ...) do not end the program but can be waited for, as the end of a
/// child can. Those that whoever started the program has it ignore stay ignored.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  /// Waits for the next signal that asks for an end, which the command, if any, gets too, and for
  /// the session to stop, which the command gets as one SIGINT: true. False when a child ended,
  /// after a notice, which the command gets, and after that time.
  bool wait(double seconds, const WatchedCommand* command, const Session& session);

  [[nodiscard]] const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t watched_{};
  sigset_t before_{};
  bool has_stopped_ = false;
};

/// Why a command could not be started, with the exit code of shells and of env(1) for that.
class NotStarted : public Error {
 public:
  NotStarted(const std::string& command, int system_error);
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// A command that runs beside the program, with its input, outputs and signals as they were.
class WatchedCommand {
 public:
  /// Starts it without a shell, found by PATH. Throws NotStarted.
  WatchedCommand(std::vector<std::string> words, const SignalWatch& signals);

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// True once it has ended; it can be looked at in /proc until reap().
  [[nodiscard]] bool has_ended() const;
  void send(int signal) const;

  struct End {
    int exit_code = 0;  ///< 128 and the signal's number when one ended it
    int signal = 0;     ///< 0: it ended by itself
  };
  /// Waits for its end and lets go of it.
  [[nodiscard]] End reap() const;

 private:
  pid_t pid_ = -1;
};

}  // namespace rooflab::task
