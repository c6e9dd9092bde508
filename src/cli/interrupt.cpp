#include "interrupt.hpp"

#include <array>
#include <csignal>
#include <ctime>

namespace rooflab::cli {
namespace {

/// Signals sent by programs that are closer than this are one.
constexpr std::time_t moment_s = 2;

volatile std::sig_atomic_t caught = 0;
timespec caught_at{};

timespec now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time;
}

void take(int signal, siginfo_t* info, void* /*context*/) {
  if (caught == 0) {
    caught = signal;
    caught_at = now();
    return;
  }
  // The kernel sends what a key of the terminal asks for, and each is meant. A terminal that is
  // gone is so only once.
  const bool by_key = info->si_code == SI_KERNEL && signal != SIGHUP;
  if (!by_key && now().tv_sec - caught_at.tv_sec < moment_s) return;
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void do_nothing(int /*signal*/) {}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void handle_all(bool ignored_too) {
  constexpr std::array<int, 3> ending = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_sigaction = take;
  sigemptyset(&action.sa_mask);
  for (const int signal : ending) sigaddset(&action.sa_mask, signal);
  for (const int signal : ending) {
    // Shells have SIGINT ignored in what they start in the background, which kill(1) still means;
    // nohup(1) has SIGHUP ignored, and means that.
    const bool wanted = ignored_too && signal != SIGHUP;
    if (wanted || !is_ignored(signal)) sigaction(signal, &action, nullptr);
  }
  // Not SIG_IGN, which a command that this program starts would keep.
  struct sigaction nothing {};
  nothing.sa_flags = SA_RESTART;
  nothing.sa_handler = do_nothing;
  for (const int signal : {SIGUSR1, SIGUSR2}) {
    if (!is_ignored(signal)) sigaction(signal, &nothing, nullptr);
  }
}

}  // namespace

void watch_interrupts() { handle_all(true); }

void watch_interrupts_beside_command() { handle_all(false); }

bool interrupted() { return caught != 0; }

int interrupt_exit_code() { return caught == 0 ? 0 : 128 + caught; }

}  // namespace rooflab::cli
