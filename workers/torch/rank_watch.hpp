#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "rank_store.hpp"

namespace rooflab::torch_worker {

/// Watches over the ranks of a job beside the work of this one. Every rank shows in the store that
/// it lives; a rank whose own work stands still for the time limit, whatever blocks it, finds out
/// which other one is to blame and gives up.
class RankWatch {
 public:
  /// Gets a sentence that names the silent rank, on a thread of the watch, and must end the
  /// process: the work may be blocked in a call that never returns.
  using GiveUp = std::function<void(const std::string& why)>;

  /// `store` is a connection of the watch's own.
  RankWatch(const engine::RankPlace& place, std::unique_ptr<RankStore> store, double timeout_s,
            GiveUp give_up);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  /// The work of this rank has come further.
  void progressed();
  /// Who is to blame when an exchange failed; takes about two seconds. Empty: all ranks are alive
  /// and none has said that it failed.
  [[nodiscard]] std::string find_culprit();
  /// No more talk with the store, no giving up. Also what the work does before it ends.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  void talk();   ///< with the store: a thread, because it may block
  void guard();  ///< the time limit: another, which never blocks
  void beat(std::int64_t told);
  [[nodiscard]] std::string ask_all();

  const engine::RankPlace place_;
  const std::unique_ptr<RankStore> store_;
  const std::chrono::duration<double> timeout_;
  const GiveUp give_up_;

  std::mutex mutex_;  ///< guards all below
  std::condition_variable changed_;
  bool stopping_ = false;
  bool asked_ = false;
  bool answered_ = false;
  bool store_gone_ = false;
  std::string answer_;
  std::int64_t progress_ = 0;
  Clock::time_point last_progress_ = Clock::now();
  std::thread talker_;
  std::thread guard_;
};

}  // namespace rooflab::torch_worker
