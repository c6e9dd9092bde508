#pragma once

#include <cstddef>
#include <vector>

namespace rooflab::torch_worker {

/// Decides when the times of steps have settled: the medians of two windows of five steps (two, for
/// steps over 0.3 s) differ by at most 2 %, after at least half a second because clocks rise; or
/// the longest time is over.
class WarmUp {
 public:
  explicit WarmUp(double longest_s) : longest_s_(longest_s) {}

  /// Adds a step that took `step_s`, `elapsed_s` after the first began.
  void add(double step_s, double elapsed_s);

  [[nodiscard]] bool stable() const { return stable_; }
  [[nodiscard]] bool enough() const { return enough_; }
  [[nodiscard]] double done() const;  ///< share of the longest time, 0 to 1
  [[nodiscard]] std::size_t steps() const { return times_.size(); }
  [[nodiscard]] double median_s() const;  ///< median of one step or more

 private:
  double longest_s_;
  std::vector<double> times_;
  double elapsed_s_ = 0.0;
  bool stable_ = false;
  bool enough_ = false;
};

}  // namespace rooflab::torch_worker
