#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Request to monitor GPUs, and a command with its descendants while it runs.
struct MonitorRequest {
  static constexpr std::string_view command = "monitor";

  std::vector<std::string> program = {};   ///< command with its arguments; empty: none
  std::vector<std::string> device{"all"};  ///< GPUs by number, or `all`, or `none`
  double period = 0.1;                     ///< seconds
  std::optional<double> duration = {};     ///< seconds; nullopt: until a signal or the end
  std::string from = {};                   ///< record to show instead
  /// Files for the record, also written while it grows
  std::vector<std::filesystem::path> keep = {};
};
const Parameters& parameters_of(For<MonitorRequest>);

struct MonitorResult {
  record::Record record = {};
  int exit_code = 0;  ///< exit code of the command
};

/// Monitors until a signal or the command's end. SIGINT, SIGTERM, SIGHUP and SIGQUIT end the
/// recording and are passed to the command, if any; notices (SIGUSR1, ...) are only passed on.
/// Throws Error (usage, input, capability) before anything starts, and NotStarted.
[[nodiscard]] MonitorResult run(const MonitorRequest& request, Session& session);

class WatchedCommand;

/// While it lives, signals that request an end (SIGINT, SIGTERM, SIGHUP, SIGQUIT) or are notices to
/// a command (SIGUSR1, SIGUSR2, ...) do not end the program; wait() waits for them and for the end
/// of a child. Signals that were ignored when the program started are still ignored. It blocks
/// these signals in the thread that makes it and sets SIGCHLD to its default; its end puts both
/// back, in the same thread.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  /// Waits for an event and passes it to the command, if any. True: a signal requests an end, or
  /// the session stops (sent to the command as one SIGINT). False: a child ended, a notice came, or
  /// the time is over.
  bool wait(double seconds, const WatchedCommand* command, const Session& session);

  [[nodiscard]] const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t watched_{};
  sigset_t before_{};
  struct sigaction child_before_ {};
  bool has_stopped_ = false;
};

/// Error for a command that could not be started, with the exit code that shells and env(1) use.
class NotStarted : public Error {
 public:
  NotStarted(const std::string& command, int system_error);
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// A command that runs concurrently with the program; its input, outputs and signals are not
/// changed.
class WatchedCommand {
 public:
  /// Starts a command, found by PATH, without a shell, with this program's environment and
  /// `variables` in addition or instead. Throws NotStarted.
  WatchedCommand(std::vector<std::string> words, const SignalWatch& signals,
                 const std::map<std::string, std::string>& variables = {});

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Whether the command has ended; it remains in /proc until reap().
  [[nodiscard]] bool has_ended() const;
  void send(int signal) const;

  struct End {
    int exit_code = 0;  ///< 128 plus the number of the signal that ended it
    int signal = 0;     ///< signal that ended it; 0: none
  };
  /// Waits for the end of the command and releases it.
  [[nodiscard]] End reap() const;

 private:
  pid_t pid_ = -1;
};

}  // namespace rooflab::task
