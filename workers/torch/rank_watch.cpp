// Keys of the store: `beat/R` grows by one every quarter of a second while rank R lives, `at/R`
// counts how far its work is, `failed/R` says why it ended if that was its own fault.
//
// A rank is silent when its beat stops for a second and a half. A store that does not answer
// is rank 0's silence, unless the store had named the failed rank before: rank 0 keeps it open for
// a while, so that all hear that. Where all beat, the one whose work is furthest behind is named.

#include "rank_watch.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.hpp"

namespace rooflab::torch_worker {
namespace {

constexpr std::chrono::milliseconds beat_period{250};
constexpr std::chrono::milliseconds listening{1500};
constexpr std::chrono::seconds longest_answer{6};
constexpr const char* verdict_key = "verdict";

std::string key(const char* what, int rank) { return format("{}/{}", what, rank); }

}  // namespace

RankWatch::RankWatch(const engine::RankPlace& place, std::unique_ptr<RankStore> store,
                     double timeout_s, GiveUp give_up)
    : place_(place), store_(std::move(store)), timeout_(timeout_s), give_up_(std::move(give_up)) {
  talker_ = std::thread([this] { talk(); });
  guard_ = std::thread([this] { guard(); });
}

RankWatch::~RankWatch() { stop(); }

void RankWatch::progressed() {
  const std::lock_guard lock(mutex_);
  ++progress_;
  last_progress_ = Clock::now();
}

void RankWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  const auto me = std::this_thread::get_id();
  if (guard_.joinable() && guard_.get_id() != me) guard_.join();
  if (talker_.joinable() && talker_.get_id() != me) talker_.join();
}

std::string RankWatch::find_culprit() {
  std::unique_lock lock(mutex_);
  asked_ = true;
  changed_.notify_all();
  const bool told = changed_.wait_for(lock, longest_answer, [this] { return answered_; });
  if (!told) return "rank 0, which holds the job's store, does not answer";
  return answer_;
}

void RankWatch::beat(std::int64_t told) {
  (void)store_->add(key("beat", place_.rank), 1);
  if (told > 0) (void)store_->add(key("at", place_.rank), told);
}

void RankWatch::talk() {
  std::int64_t told = 0;
  std::optional<std::string> verdict;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const bool ask = asked_ && !answered_;
    const std::int64_t more = progress_ - std::exchange(told, progress_);
    lock.unlock();
    std::optional<std::string> answer;
    bool gone = false;
    try {
      beat(more);
      if (!verdict) verdict = store_->find(verdict_key);
      if (ask) answer = ask_all();
      const bool holds_store = place_.rank == 0;
      if (answer && !answer->empty() && holds_store) std::this_thread::sleep_for(listening);
    } catch (const std::exception&) {
      gone = true;
    }
    lock.lock();
    if (gone) {
      store_gone_ = true;
      answer = verdict.value_or("rank 0, which holds the job's store, is gone");
    }
    if (answer) {
      answer_ = *answer;
      answered_ = true;
      changed_.notify_all();
    }
    if (gone) return;
    changed_.wait_for(lock, beat_period, [this] { return stopping_ || (asked_ && !answered_); });
  }
}

void RankWatch::guard() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    changed_.wait_for(lock, beat_period, [this] { return stopping_ || store_gone_; });
    if (stopping_) return;
    const bool late = Clock::now() - last_progress_ >= timeout_;
    if (!late && !store_gone_) continue;
    const bool without_store = store_gone_;
    lock.unlock();
    if (without_store) std::this_thread::sleep_for(beat_period);  // the work may be about to end
    std::string why = find_culprit();
    lock.lock();
    if (stopping_) return;
    lock.unlock();
    if (why.empty()) why = "all ranks are alive, but none makes progress";
    if (!without_store) why += format(": nothing was done for {:g} s", timeout_.count());
    give_up_(why);
    lock.lock();
  }
}

std::string RankWatch::ask_all() {
  const auto failures = [this]() -> std::string {
    for (int rank = 0; rank < place_.size; ++rank) {
      if (const auto why = store_->find(key("failed", rank))) {
        return format("rank {}: {}", rank, *why);
      }
    }
    return {};
  };
  const auto counts = [this](const char* what) {
    std::vector<std::int64_t> result;
    for (int rank = 0; rank < place_.size; ++rank) {
      result.push_back(store_->add(key(what, rank), 0));
    }
    return result;
  };
  if (std::string failed = failures(); !failed.empty()) return failed;
  // Whoever found out first ends first, and would look silent to the others.
  if (const auto verdict = store_->find(verdict_key)) return *verdict;

  const std::vector<std::int64_t> before = counts("beat");
  for (std::chrono::milliseconds waited{0}; waited < listening; waited += beat_period) {
    std::this_thread::sleep_for(beat_period);
    beat(0);
  }
  if (std::string failed = failures(); !failed.empty()) return failed;
  if (const auto verdict = store_->find(verdict_key)) return *verdict;
  const std::vector<std::int64_t> after = counts("beat");
  std::vector<std::string> silent;
  for (int rank = 0; rank < place_.size; ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (after[i] == before[i]) silent.push_back(std::to_string(rank));
  }
  std::string answer;
  if (!silent.empty()) {
    answer = silent.size() == 1 ? format("rank {} does not answer", silent.front())
                                : format("ranks {} do not answer", join(silent, ", "));
  } else {
    const std::vector<std::int64_t> at = counts("at");
    const auto least = std::ranges::min_element(at);
    if (*least == *std::ranges::max_element(at)) return {};
    answer = format("rank {} is behind the others", least - at.begin());
  }
  store_->set(verdict_key, answer);
  return answer;
}

}  // namespace rooflab::torch_worker
