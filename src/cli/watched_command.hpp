#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace rooflab::cli {

/// For its life, SIGINT, SIGTERM and SIGHUP do not end the program but can be waited for, as the
/// end of a child can. Those that whoever started the program has it ignore stay ignored.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  struct Signal {
    int number = 0;
    bool from_terminal = false;  ///< sent to all processes of the terminal's foreground
  };
  /// The next SIGINT, SIGTERM or SIGHUP; nullopt when a child ended or after that time.
  [[nodiscard]] std::optional<Signal> wait(double seconds);

  [[nodiscard]] const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t watched_{};
  sigset_t before_{};
};

/// Exit codes of shells and of env(1) for what cannot be started.
inline constexpr int exit_not_startable = 126;
inline constexpr int exit_not_found = 127;

/// A command that runs beside the program, with its input, outputs and signals as they were.
class WatchedCommand {
 public:
  explicit WatchedCommand(pid_t pid) : pid_(pid) {}

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
  pid_t pid_;
};

/// What became of the attempt: a command, or an exit code and the system's reason.
struct StartedCommand {
  std::optional<WatchedCommand> command;
  int exit_code = 0;
  std::string reason;
};

/// Starts a command without a shell, found by PATH.
[[nodiscard]] StartedCommand start_command(const std::vector<std::string>& words,
                                           const sigset_t& signal_mask);

}  // namespace rooflab::cli
