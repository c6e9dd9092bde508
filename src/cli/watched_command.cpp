// Signals are blocked and fetched, so that nothing runs in a handler and none is missed between a
// look and a wait. Ctrl-C reaches the command by itself, as it shares the terminal; a signal that
// was sent to this program alone is passed on by whoever waits here.

#include "watched_command.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <system_error>

namespace rooflab::cli {
namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalWatch::SignalWatch() {
  // An ignored SIGCHLD would have the kernel throw the child's end away.
  ::signal(SIGCHLD, SIG_DFL);
  ::sigemptyset(&watched_);
  ::sigaddset(&watched_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) ::sigaddset(&watched_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
}

SignalWatch::~SignalWatch() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::optional<SignalWatch::Signal> SignalWatch::wait(double seconds) {
  const double whole = std::floor(seconds);
  const timespec time = {static_cast<std::time_t>(whole),
                         static_cast<long>((seconds - whole) * 1e9)};
  siginfo_t info{};
  const int number = ::sigtimedwait(&watched_, &info, &time);
  if (number < 0 || number == SIGCHLD) return std::nullopt;
  return Signal{.number = number, .from_terminal = info.si_code == SI_KERNEL};
}

StartedCommand start_command(const std::vector<std::string>& words, const sigset_t& signal_mask) {
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigmask(&attributes, &signal_mask);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);  // which this program ignores
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);

  std::vector<std::string> texts = words;
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, pointers.front(), nullptr, &attributes, pointers.data(), ::environ);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return {std::nullopt, error == ENOENT ? exit_not_found : exit_not_startable,
            std::generic_category().message(error)};
  }
  return {WatchedCommand(pid), 0, ""};
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

}  // namespace rooflab::cli
