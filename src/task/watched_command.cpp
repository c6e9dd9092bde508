// Signals are blocked and fetched, so that nothing runs in a handler and none is missed between a
// look and a wait. Ctrl-C reaches the command by itself, as it shares the terminal; a signal that
// was sent to this program alone is passed on by whoever waits here.

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <ctime>
#include <system_error>

#include "rooflab/base/text.hpp"
#include "rooflab/task/monitor.hpp"

namespace rooflab::task {
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

bool SignalWatch::wait(double seconds, const WatchedCommand* command, const Session& session) {
  const double whole = std::floor(seconds);
  const timespec time = {static_cast<std::time_t>(whole),
                         static_cast<long>((seconds - whole) * 1e9)};
  siginfo_t info{};
  const int number = ::sigtimedwait(&watched_, &info, &time);
  if (number >= 0 && number != SIGCHLD) {
    const bool from_terminal = info.si_code == SI_KERNEL;
    if (command != nullptr && !from_terminal) command->send(number);
    return true;
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

WatchedCommand::WatchedCommand(std::vector<std::string> words, const SignalWatch& signals) {
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigmask(&attributes, &signals.mask_before());
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);  // which this program ignores
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);

  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int error =
      ::posix_spawnp(&pid_, pointers.front(), nullptr, &attributes, pointers.data(), ::environ);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw NotStarted(words.front(), error);
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
