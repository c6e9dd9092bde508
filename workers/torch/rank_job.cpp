#include "rank_job.hpp"

#include <chrono>
#include <exception>
#include <thread>

#include "base/format.hpp"

namespace rooflab::torch_worker {

RankJob::RankJob(const engine::RankPlace& place, std::string name, double timeout_s,
                 RankWatch::GiveUp give_up)
    : place_(place), name_(std::move(name)), timeout_s_(timeout_s) {
  if (alone()) return;
  store_ = open_rank_store(place_, name_, first(), timeout_s);
  watch_ = std::make_unique<RankWatch>(place_, open_rank_store(place_, name_, false, timeout_s),
                                       timeout_s, std::move(give_up));
}

void RankJob::progressed() {
  if (watch_) watch_->progressed();
}

std::int64_t RankJob::agree(std::int64_t mine) {
  if (alone()) return mine;
  const std::string key = format("agreed/{}", agreed_++);
  if (first()) {
    store_->set(key, std::to_string(mine));
    return mine;
  }
  return parse_integer(store_->get(key)).value_or(0);
}

void RankJob::barrier() {
  if (alone()) return;
  const std::string key = format("barrier/{}", barriers_++);
  if (store_->add(key, 1) == place_.size) store_->set(key + "/open", "1");
  (void)store_->get(key + "/open");
  progressed();
}

void RankJob::tell(const std::string& what, const std::string& text) {
  if (!alone()) store_->set(format("{}/{}", what, place_.rank), text);
}

std::vector<std::string> RankJob::collect(const std::string& what) {
  std::vector<std::string> texts;
  if (alone()) return texts;
  for (int rank = 0; rank < place_.size; ++rank) {
    texts.push_back(store_->get(format("{}/{}", what, rank)));
    progressed();
  }
  return texts;
}

std::vector<std::string> RankJob::told(const std::string& what) const {
  std::vector<std::string> texts(static_cast<std::size_t>(place_.size));
  if (alone()) return texts;
  try {
    // The usual connection may be waiting for an answer that will not come.
    const auto store = open_rank_store(place_, name_, false, timeout_s_);
    for (int rank = 0; rank < place_.size; ++rank) {
      if (auto text = store->find(format("{}/{}", what, rank))) {
        texts[static_cast<std::size_t>(rank)] = std::move(*text);
      }
    }
  } catch (const std::exception&) {
    // Not even the own store answers: what this rank has itself must do.
  }
  return texts;
}

void RankJob::tell_failure(const std::string& why, const std::string& status) {
  if (alone()) return;
  try {
    tell("outcome", status);
    tell("failed", why);
  } catch (const std::exception&) {
    // The others find out by themselves.
  }
}

std::string RankJob::find_culprit() { return watch_ ? watch_->find_culprit() : std::string(); }

void RankJob::leave() {
  if (alone()) return;
  watch_->stop();
  try {
    (void)store_->add("left", 1);
    if (!first()) return;
    constexpr std::chrono::seconds patience{3};
    const auto until = std::chrono::steady_clock::now() + patience;
    while (store_->add("left", 0) < place_.size && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  } catch (const std::exception&) {
    // Whoever held the store is gone already.
  }
}

}  // namespace rooflab::torch_worker
