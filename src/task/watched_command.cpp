// Signals are blocked and fetched, so that nothing runs in a handler and none is missed between a
// look and a wait. What a key of the terminal sends reaches the command by itself, as it shares the
// terminal; a signal that was sent to this program alone is passed on by whoever waits here. Who
// sends one to both, as timeout(1) does to its process group, has the command get it twice: the
// kernel does not tell the two apart.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/format.hpp"
#include "rooflab/task/monitor.hpp"
#include "system/process_start.hpp"

namespace rooflab::task {
namespace {

/// Signals that ask for an end.
constexpr std::array<int, 4> ending = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
/// Signals with a meaning for the command alone: what batch systems announce, and its terminal.
constexpr std::array<int, 6> notices = {SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGCONT, SIGWINCH};

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalWatch::SignalWatch() {
  // An ignored SIGCHLD would have the kernel throw the child's end away.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &usual, &child_before_);
  ::sigemptyset(&watched_);
  ::sigaddset(&watched_, SIGCHLD);
  const auto watch = [this](int signal) {
    if (!is_ignored(signal)) ::sigaddset(&watched_, signal);
  };
  std::ranges::for_each(ending, watch);
  std::ranges::for_each(notices, watch);
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
}

SignalWatch::~SignalWatch() {
  // They were for what has ended by now.
  const timespec no_time = {};
  while (::sigtimedwait(&watched_, nullptr, &no_time) > 0) {
  }
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalWatch::wait(double seconds, const WatchedCommand* command, const Session& session) {
  const double whole = std::floor(seconds);
  const timespec time = {static_cast<std::time_t>(whole),
                         static_cast<long>((seconds - whole) * 1e9)};
  siginfo_t info{};
  const int number = ::sigtimedwait(&watched_, &info, &time);
  if (number >= 0 && number != SIGCHLD) {
    const bool from_terminal = info.si_code == SI_KERNEL;
    if (command != nullptr && !from_terminal) command->send(number);
    return std::ranges::find(ending, number) != ending.end();
  }
  if (has_stopped_ || !session.should_stop()) return false;
  has_stopped_ = true;
  if (command != nullptr) command->send(SIGINT);
  return true;
}

NotStarted::NotStarted(const std::string& command, int system_error)
    : Error(ErrorKind::usage, format("cannot start '{}': {}", command,
                                     std::generic_category().message(system_error))),
      exit_code_(system_error == ENOENT ? 127 : 126) {}

WatchedCommand::WatchedCommand(std::vector<std::string> words, const SignalWatch& signals,
                               const std::map<std::string, std::string>& variables) {
  ProcessStart start;
  start.words = std::move(words);
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) {
      start.variables.emplace_back(text);
    }
  }
  for (const auto& [name, value] : variables) start.variables.push_back(name + "=" + value);
  start.default_signals = {SIGPIPE};  // which this program ignores
  start.blocked_signals = signals.mask_before();
  // As under time(1), a command outlives this program. A case of a study is to end with its study,
  // which asked for that, and then its command too: during the next run it would spoil the times.
  int at_parents_end = 0;
  start.ends_with_us = ::prctl(PR_GET_PDEATHSIG, &at_parents_end) == 0 && at_parents_end != 0;
  const StartedProcess started = start_process(start);
  if (started.error != 0) throw NotStarted(start.words.front(), started.error);
  pid_ = started.pid;
}

bool WatchedCommand::has_ended() const {
  siginfo_t info{};
  const int status = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return status != 0 || info.si_pid == pid_;
}

void WatchedCommand::send(int signal) const { ::kill(pid_, signal); }

WatchedCommand::End WatchedCommand::reap() const {
  constexpr int by_signal = 128;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {by_signal + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace rooflab::task
