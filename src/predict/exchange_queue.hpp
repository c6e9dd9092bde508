#pragma once

#include <cstddef>
#include <vector>

namespace rooflab::predict {

/// Slowdown factors of a kernel and a concurrent all-reduce compared with running alone.
struct MutualSlowdown {
  double kernel = 1.0;
  double all_reduce = 1.0;
};

/// Event simulation of consecutive all-reduces that run concurrently with the kernels of one
/// device.
///
/// While both run, the kernel does 1 / kernel seconds of its work per second and the all-reduce 1 /
/// all_reduce seconds; alone, each does one second of work per second. Both rates hold until one of
/// them ends. Kernels must be given in the order of their starts, all-reduces in the order in which
/// they run, and nothing before the simulated time.
class ExchangeQueue {
 public:
  /// Adds an all-reduce that takes `alone_s` alone. It starts at `ready_s`, or when the previous
  /// one has ended.
  void add(double ready_s, double alone_s);
  /// Runs a kernel that takes `alone_s` alone, from `start_s` on; returns its end.
  [[nodiscard]] double run(double start_s, double alone_s, const MutualSlowdown& slowdown);
  /// Runs all-reduces without a kernel until this one has ended; returns its end.
  [[nodiscard]] double wait_for(std::size_t all_reduce);

  [[nodiscard]] std::size_t size() const { return all_reduces_.size(); }
  /// Start of an all-reduce, which must have ended.
  [[nodiscard]] double start_of(std::size_t all_reduce) const {
    return all_reduces_[all_reduce].start_s;
  }
  /// Slowdown of kernels that ran during an all-reduce; 1 without such kernels.
  [[nodiscard]] double kernel_slowdown() const;
  /// Slowdown of the finished all-reduces; 1 without any.
  [[nodiscard]] double all_reduce_slowdown() const;

 private:
  struct AllReduce {
    double ready_s = 0.0;
    double alone_s = 0.0;
    double left_s = 0.0;  ///< rest of alone_s
    double start_s = 0.0;
    double end_s = 0.0;
  };

  /// Simulates until a time without a kernel.
  void idle_until(double time_s);
  void end_first(double time_s);

  std::vector<AllReduce> all_reduces_;
  std::size_t first_ = 0;         ///< first all-reduce that has not ended
  double now_s_ = 0.0;            ///< simulated up to here
  double together_s_ = 0.0;       ///< time with a kernel and an all-reduce
  double together_work_s_ = 0.0;  ///< time of this kernel work alone
};

}  // namespace rooflab::predict
