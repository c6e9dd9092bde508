#include "run_list.hpp"

#include "base/format.hpp"

namespace rooflab::task {
namespace {

/// `measure 40 %`, of training `epoch 3/30, accuracy 0.812`.
std::string text_of(const engine::Progress& now) {
  if (now.stage.starts_with("epoch")) return now.stage;
  return format("{} {:.0f} %", now.stage, now.done * 100.0);
}

}  // namespace

std::string progress_text(const engine::Progress& now) {
  const std::string left = time_left(now.left_s);
  return text_of(now) + (left.empty() ? "" : ", " + left);
}

engine::RunOptions run_options(const std::filesystem::path& worker, const Session& session,
                               const std::string& what) {
  const auto show = [&session, what](const engine::Progress& now) {
    session.show_progress(what + progress_text(now));
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
  clock_.begin(index, now_s());
  show("", 0.0);
}

void ListProgress::show(const std::string& stage, double left_s) const {
  const double now = now_s();
  session_.show_progress(list_progress_line(clock_.done(now, left_s), noun_, index_, count_,
                                            clock_.left_s(now, left_s),
                                            stage.empty() ? title_ : title_ + ": " + stage));
}

void ListProgress::end(const std::string& outcome) {
  session_.show_progress("");
  clock_.end(now_s(), !outcome.empty());
  if (outcome.empty()) return;
  session_.say_step(format("{}: {} ({}/{})", title_, outcome, index_ + 1, count_));
}

void ListProgress::end(const std::optional<double>& step_s, record::Status status) {
  end(step_s ? si(*step_s, "s") : std::string(name_of(status)));
}

}  // namespace rooflab::task
