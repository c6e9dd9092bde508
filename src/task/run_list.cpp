#include "run_list.hpp"

#include <cmath>

#include "rooflab/base/text.hpp"

namespace rooflab::task {
namespace {

/// `measure 40 %`, of training `epoch 3/30, accuracy 0.812`.
std::string text_of(const engine::Progress& now) {
  if (now.stage.starts_with("epoch")) return now.stage;
  return format("{} {:.0f} %", now.stage, now.done * 100.0);
}

/// `, 12 s left`, `, 3 min left`, `, 2.5 h left`; empty where it is not known.
std::string left(double seconds) {
  if (seconds <= 0.0) return {};
  if (seconds < 90.0) return format(", {:.0f} s left", std::ceil(seconds));
  if (seconds < 5400.0) return format(", {:.0f} min left", seconds / 60.0);
  return format(", {:.1f} h left", seconds / 3600.0);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

engine::RunOptions run_options(const std::filesystem::path& worker, const Session& session,
                               const std::string& what) {
  const auto show = [&session, what](const engine::Progress& now) {
    session.show_progress(what + text_of(now) + left(now.left_s));
  };
  return {.worker = worker, .on_progress = show, .should_stop = session.should_stop};
}

engine::RunOptions ListProgress::run_options(const std::filesystem::path& worker) const {
  const auto show_it = [this](const engine::Progress& now) { show(text_of(now), now.left_s); };
  return {.worker = worker, .on_progress = show_it, .should_stop = session_.should_stop};
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
  session_.show_progress(line + left(all_left_s(left_s)));
}

void ListProgress::end(const std::string& outcome) {
  session_.show_progress("");
  if (outcome.empty()) return;
  ran_s_ += seconds_since(begin_);
  ++ran_;
  session_.say_step(format("{}: {} ({}/{})", title_, outcome, index_ + 1, count_));
}

void ListProgress::end(const std::optional<double>& step_s, record::Status status) {
  end(step_s ? si(*step_s, "s") : std::string(name_of(status)));
}

double ListProgress::all_left_s(double left_s) const {
  const auto later = static_cast<double>(count_ - index_ - 1);
  if (later == 0.0) return left_s;
  if (left_s <= 0.0 && ran_ == 0) return 0.0;
  const double each = ran_ > 0 ? ran_s_ / ran_ : seconds_since(begin_) + left_s;
  return left_s + later * each;
}

}  // namespace rooflab::task
