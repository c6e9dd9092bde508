#pragma once

#include <chrono>

namespace rooflab::probe_worker {

/// Measures seconds of the host's steady clock since its construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace rooflab::probe_worker
