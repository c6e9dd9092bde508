#pragma once

namespace rooflab::cli {

/// While it lives, Ctrl-C (SIGINT) and SIGTERM are asked for with interrupted() instead of ending
/// the program. The second one ends it as usual. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();
  /// 128 + the signal, as a shell reports it; 0 when there was none.
  [[nodiscard]] static int exit_code();
};

}  // namespace rooflab::cli
