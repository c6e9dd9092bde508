#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Time left, for people: `12 s`, `3 min`, `2.5 h`.
[[nodiscard]] std::string duration(double seconds);

/// Progress of a list of cases on a terminal; the time left is estimated from the cases so far.
class ListProgress {
 public:
  /// `noun` of one of them: `case`, `run`. `session` must outlive this.
  ListProgress(std::string noun, std::size_t count, const Session& session)
      : noun_(std::move(noun)), count_(count), session_(session) {}

  void begin(std::size_t index, std::string title);
  /// `stage` may be empty; `left_s` of this one, 0: not known.
  void show(const std::string& stage, double left_s) const;
  /// What it came to.
  void end(const std::string& outcome);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] double all_left_s(double left_s) const;

  std::string noun_;
  std::size_t count_;
  const Session& session_;
  std::size_t index_ = 0;
  std::string title_;
  Clock::time_point begin_;
  double ran_s_ = 0.0;
  int ran_ = 0;
};

}  // namespace rooflab::task
