#include "rooflab/task/list_progress.hpp"

#include <cmath>
#include <utility>

#include "rooflab/base/format.hpp"

namespace rooflab::task {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::string duration(double seconds) {
  if (seconds < 90.0) return format("{:.0f} s", std::ceil(seconds));
  if (seconds < 5400.0) return format("{:.0f} min", seconds / 60.0);
  return format("{:.1f} h", seconds / 3600.0);
}

void ListProgress::begin(std::size_t index, std::string title) {
  index_ = index;
  title_ = std::move(title);
  begin_ = Clock::now();
  show("", 0.0);
}

void ListProgress::show(const std::string& stage, double left_s) const {
  std::string line = format("[{} {}/{}] {}", noun_, index_ + 1, count_, title_);
  if (!stage.empty()) line += ": " + stage;
  if (const double left = all_left_s(left_s); left > 0.0) {
    line += format(", {} left", duration(left));
  }
  session_.show_progress(line);
}

void ListProgress::end(const std::string& outcome) {
  ran_s_ += seconds_since(begin_);
  ++ran_;
  session_.show_progress("");
  session_.say_step(format("{}: {} ({}/{})", title_, outcome, index_ + 1, count_));
}

double ListProgress::all_left_s(double left_s) const {
  const auto later = static_cast<double>(count_ - index_ - 1);
  if (later == 0.0) return left_s;
  if (left_s <= 0.0 && ran_ == 0) return 0.0;
  const double each = ran_ > 0 ? ran_s_ / ran_ : seconds_since(begin_) + left_s;
  return left_s + later * each;
}

}  // namespace rooflab::task
