#include "interrupt.hpp"

#include <csignal>

namespace rooflab::cli {
namespace {

volatile std::sig_atomic_t caught = 0;

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { caught = signal; };
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second signal finds the default again
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return caught != 0; }

int interrupt_exit_code() { return caught == 0 ? 0 : 128 + caught; }

}  // namespace rooflab::cli
