#include "interrupt.hpp"

#include <csignal>

namespace rooflab::cli {
namespace {

volatile std::sig_atomic_t caught = 0;

void remember(int signal) { caught = signal; }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // The second signal finds the default again.
  if (handler == remember) action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  caught = 0;
  handle(SIGINT, remember);
  handle(SIGTERM, remember);
}

InterruptGuard::~InterruptGuard() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() { return caught != 0; }

int InterruptGuard::exit_code() { return caught == 0 ? 0 : 128 + caught; }

}  // namespace rooflab::cli
