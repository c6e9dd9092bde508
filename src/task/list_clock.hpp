#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// How far a list of runs is, and what is left of it.
namespace rooflab::task {

/// Estimates by the mean time of the runs that have ended: it does not follow what a single run
/// says of itself, so it does not jump. Times are seconds of any clock that only goes forward.
class ListClock {
 public:
  explicit ListClock(std::size_t count) : count_(count) {}

  void begin(std::size_t index, double now_s);
  /// `counts`: it is like the others, so its time says something about theirs.
  void end(double now_s, bool counts = true);

  /// What is left of the whole list; 0: not known. `own_left_s` is what the run says of itself,
  /// 0: nothing; before one has ended, the others are taken to be like it.
  [[nodiscard]] double left_s(double now_s, double own_left_s) const;
  /// Share of the list that is done.
  [[nodiscard]] double done(double now_s, double own_left_s) const;

 private:
  [[nodiscard]] double run_time_s(double now_s) const { return running_ ? now_s - began_s_ : 0.0; }

  std::size_t count_;
  std::size_t index_ = 0;
  bool running_ = false;
  double began_s_ = 0.0;
  double ended_s_ = 0.0;  ///< sum of the times of those that count
  std::size_t ended_ = 0;
};

/// `[######--------------] case 2 of 6, 40 s left: WHAT`; `what` may be empty.
[[nodiscard]] std::string list_progress_line(double done, std::string_view noun, std::size_t index,
                                             std::size_t count, double left_s,
                                             std::string_view what);

/// `12 s left`, `3 min left`, `2.5 h left`; empty where it is not known.
[[nodiscard]] std::string time_left(double seconds);

}  // namespace rooflab::task
