// What the CUDA driver loads into a program when it starts ($CUDA_INJECTION64_PATH), and NVTX when
// its first range begins ($NVTX_INJECTION64_PATH). Nothing here prints, changes the program's exit
// code or outlives a fork: a child that runs CUDA itself is injected again.

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>

#include "nvtx_ranges.hpp"
#include "profiler.hpp"

namespace {

using rooflab::inject::Profiler;

/// Never destroyed: the program's threads may launch until the very end.
std::atomic<Profiler*> profiler = nullptr;

void end_at_exit() {
  if (Profiler* const current = profiler.load()) current->end("exit");
}

void forget_in_child() {
  profiler = nullptr;
  rooflab::inject::OpTeller::forget_in_child();
  rooflab::inject::stop_nvtx_ranges();
}

}  // namespace

extern "C" {

/// Called by the driver inside cuInit; 1: all is well, and the program goes on in any case.
[[gnu::visibility("default")]] int InitializeInjection() {
  try {
    if (profiler.load() != nullptr) return 1;
    const char* const text = std::getenv(rooflab::profile::profile_variable);
    if (text == nullptr) return 1;
    const auto request = rooflab::profile::profile_request_from_text(text);
    if (!request) return 1;
    auto* const created = new Profiler(*request);
    profiler = created;
    created->begin();
    rooflab::inject::start_nvtx_ranges(*created);
    std::atexit(end_at_exit);
    pthread_atfork(nullptr, nullptr, forget_in_child);
  } catch (const std::exception&) {  // the program comes first
  }
  return 1;
}

/// os._exit and its like end a process without running what atexit has. Found before libc's where
/// this library is preloaded.
[[gnu::visibility("default"), gnu::noreturn]] void _exit(int status) {
  if (Profiler* const current = profiler.load()) current->end("_exit");
  ::syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

[[gnu::visibility("default"), gnu::noreturn]] void _Exit(int status) { _exit(status); }

}  // extern "C"
