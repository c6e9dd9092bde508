#pragma once

#include <cstddef>
#include <vector>

namespace rooflab::predict {

/// What a kernel and an all-reduce at the same time cost each other: times as long as alone.
struct MutualSlowdown {
  double kernel = 1.0;
  double all_reduce = 1.0;
};

/// All-reduces, one after the other, beside the kernels of one device: a simulation by events.
///
/// While a kernel and an all-reduce run together, the kernel does 1 / kernel seconds of its work in
/// a second and the all-reduce 1 / all_reduce seconds of its own; whatever runs by itself does a
/// second's. Both rates hold until one of them ends. Kernels are given in the order of their
/// starts, all-reduces in the order in which they run; nothing is given that lies before what was
/// simulated.
class ExchangeQueue {
 public:
  /// An all-reduce that takes `alone_s` by itself. It starts at `ready_s`, or later when the one
  /// before it has ended.
  void add(double ready_s, double alone_s);
  /// Runs a kernel that takes `alone_s` by itself, from `start_s` on; the result is its end.
  [[nodiscard]] double run(double start_s, double alone_s, const MutualSlowdown& slowdown);
  /// Lets the all-reduces go on until this one has ended, without a kernel beside them; the result
  /// is its end.
  [[nodiscard]] double wait_for(std::size_t all_reduce);

  [[nodiscard]] std::size_t size() const { return all_reduces_.size(); }
  /// When this one began; it must have ended.
  [[nodiscard]] double start_of(std::size_t all_reduce) const {
    return all_reduces_[all_reduce].start_s;
  }
  /// Slowdown of the kernels that ran beside an all-reduce; 1 without such kernels.
  [[nodiscard]] double kernel_slowdown() const;
  /// Slowdown of the all-reduces that have ended; 1 before the first has.
  [[nodiscard]] double all_reduce_slowdown() const;

 private:
  struct AllReduce {
    double ready_s = 0.0;
    double alone_s = 0.0;
    double left_s = 0.0;  ///< rest of alone_s
    double start_s = 0.0;
    double end_s = 0.0;
  };

  /// Without a kernel, up to a time.
  void idle_until(double time_s);
  void end_first(double time_s);

  std::vector<AllReduce> all_reduces_;
  std::size_t first_ = 0;         ///< the first that has not ended
  double now_s_ = 0.0;            ///< simulated up to here
  double together_s_ = 0.0;       ///< a kernel and an all-reduce ran
  double together_work_s_ = 0.0;  ///< what the kernels would have taken for it alone
};

}  // namespace rooflab::predict
