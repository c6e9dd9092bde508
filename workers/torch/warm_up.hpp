#pragma once

#include <cstddef>
#include <vector>

namespace rooflab::torch_worker {

/// When steps have been run often enough that their times hold still: the medians of two windows of
/// five (two, for steps over 0.3 s) differ by 2 % at most, after half a second at least, for clocks
/// rise; or when the longest time is over.
class WarmUp {
 public:
  explicit WarmUp(double longest_s) : longest_s_(longest_s) {}

  /// A step took so long; so much time has gone by since the first began.
  void add(double step_s, double elapsed_s);

  [[nodiscard]] bool stable() const { return stable_; }
  [[nodiscard]] bool enough() const { return enough_; }
  [[nodiscard]] double done() const;  ///< 0 to 1 of the longest time
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
