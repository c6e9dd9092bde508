#pragma once

namespace rooflab::probe_worker {

/// Estimates the remaining time of a list of steps: the expected time of the remaining ones, times
/// the ratio of real to expected time of the finished ones. The first seconds hardly change this
/// ratio, so that one quick or slow step at the beginning does not make the estimate jump.
class RemainingTime {
 public:
  explicit RemainingTime(double expected_s) : left_s_(expected_s) {}

  /// Adds a finished step that took `took_s` instead of `expected_s`.
  void finish(double expected_s, double took_s);

  [[nodiscard]] double seconds() const;

 private:
  double left_s_;  ///< expected time of the remaining steps
  double expected_s_ = 0.0;
  double took_s_ = 0.0;
};

}  // namespace rooflab::probe_worker
