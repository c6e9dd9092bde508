#pragma once

namespace rooflab::probe_worker {

/// How long a list of steps will still take: what was expected of those that are left, times what
/// the finished ones took for each second expected of them. The first seconds hardly move that
/// factor, so that one quick or slow step at the beginning does not make the estimate jump.
class RemainingTime {
 public:
  explicit RemainingTime(double expected_s) : left_s_(expected_s) {}

  /// A step that `expected_s` was expected of took `took_s`.
  void finish(double expected_s, double took_s);

  [[nodiscard]] double seconds() const;

 private:
  double left_s_;  ///< time expected beforehand
  double expected_s_ = 0.0;
  double took_s_ = 0.0;
};

}  // namespace rooflab::probe_worker
