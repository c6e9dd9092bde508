#pragma once

#include <algorithm>

namespace rooflab::profile {

/// Time that counting may take: a share of the time that the program has run. Some of it may be
/// taken in advance, since the first start of the counters takes a third of a second. All in
/// seconds.
class CountingBudget {
 public:
  CountingBudget(double share, double in_advance_s) : share_(share), in_advance_s_(in_advance_s) {}

  /// Starts the budget at the program's first launch.
  void begin(double now_s) { begun_s_ = now_s; }
  [[nodiscard]] bool allows(double cost_s, double now_s) const {
    return spent_s_ + cost_s <= std::max(in_advance_s_, share_ * elapsed_s(now_s));
  }
  void spend(double cost_s) { spent_s_ += cost_s; }
  [[nodiscard]] double spent_s() const { return spent_s_; }
  [[nodiscard]] double elapsed_s(double now_s) const { return now_s - begun_s_; }

 private:
  double share_;
  double in_advance_s_;
  double begun_s_ = 0.0;
  double spent_s_ = 0.0;
};

}  // namespace rooflab::profile
