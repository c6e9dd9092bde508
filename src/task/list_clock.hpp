#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Progress and remaining time of a list of runs.
namespace rooflab::task {

/// Estimates by the mean time of the runs that have ended: it does not use estimates of single
/// runs, so it does not jump. Times are seconds of any steady clock.
class ListClock {
 public:
  explicit ListClock(std::size_t count) : count_(count) {}

  void begin(std::size_t index, double now_s);
  /// Ends a run. `counts`: it is like the others, so that its time is used for estimates.
  void end(double now_s, bool counts = true);

  /// Remaining seconds of the whole list; 0: not known. `own_left_s`: estimate of the current run,
  /// 0: none; before a run has ended, it is used for the others too.
  [[nodiscard]] double left_s(double now_s, double own_left_s) const;
  /// Share of the list that is done.
  [[nodiscard]] double done(double now_s, double own_left_s) const;

 private:
  [[nodiscard]] double run_time_s(double now_s) const { return running_ ? now_s - began_s_ : 0.0; }

  std::size_t count_;
  std::size_t index_ = 0;
  bool running_ = false;
  double began_s_ = 0.0;
  double ended_s_ = 0.0;  ///< sum of the times of runs that count
  std::size_t ended_ = 0;
};

/// Line of progress: `[######--------------] case 2 of 6, 40 s left: WHAT`; `what` may be empty.
[[nodiscard]] std::string list_progress_line(double done, std::string_view noun, std::size_t index,
                                             std::size_t count, double left_s,
                                             std::string_view what);

/// Text such as `12 s left`, `3 min left`, `2.5 h left`; empty: not known.
[[nodiscard]] std::string time_left(double seconds);

}  // namespace rooflab::task
