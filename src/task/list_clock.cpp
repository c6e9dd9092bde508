#include "list_clock.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"

namespace rooflab::task {

void ListClock::begin(std::size_t index, double now_s) {
  index_ = index;
  began_s_ = now_s;
  running_ = true;
}

void ListClock::end(double now_s, bool counts) {
  if (running_ && counts) {
    ended_s_ += run_time_s(now_s);
    ++ended_;
  }
  running_ = false;
  ++index_;
}

double ListClock::left_s(double now_s, double own_left_s) const {
  const std::size_t later = count_ - std::min(count_, index_ + (running_ ? 1 : 0));
  const double so_far_s = run_time_s(now_s);
  if (ended_ == 0) {
    if (own_left_s <= 0.0) return 0.0;
    return own_left_s + static_cast<double>(later) * (so_far_s + own_left_s);
  }
  const double each_s = ended_s_ / static_cast<double>(ended_);
  const double of_this_s = running_ ? std::max(0.0, each_s - so_far_s) : 0.0;
  return of_this_s + static_cast<double>(later) * each_s;
}

double ListClock::done(double now_s, double own_left_s) const {
  if (count_ == 0) return 1.0;
  const double so_far_s = run_time_s(now_s);
  const double own_s = ended_ == 0 ? so_far_s + own_left_s
                                   : std::max(so_far_s, ended_s_ / static_cast<double>(ended_));
  const bool known = running_ && own_s > 0.0 && (ended_ > 0 || own_left_s > 0.0);
  const double of_this = known ? so_far_s / own_s : 0.0;
  return std::min(1.0, (static_cast<double>(index_) + of_this) / static_cast<double>(count_));
}

std::string time_left(double seconds) {
  if (seconds <= 0.0) return {};
  if (seconds < 90.0) return format("{:.0f} s left", std::ceil(seconds));
  if (seconds < 5400.0) return format("{:.0f} min left", seconds / 60.0);
  return format("{:.1f} h left", seconds / 3600.0);
}

std::string list_progress_line(double done, std::string_view noun, std::size_t index,
                               std::size_t count, double left_s, std::string_view what) {
  constexpr std::size_t width = 20;
  const auto full = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * width);
  std::string line = format("[{}{}] {} {} of {}", std::string(full, '#'),
                            std::string(width - full, '-'), noun, index + 1, count);
  if (const std::string left = time_left(left_s); !left.empty()) line += ", " + left;
  return what.empty() ? line : format("{}: {}", line, what);
}

}  // namespace rooflab::task
