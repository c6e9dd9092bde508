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

/// Watches the ranks of a job concurrently with the work of this one. Every rank signs life in the
/// store. A rank whose own work makes no progress for the time limit, for any reason, finds the
/// rank that caused it and gives up.
class RankWatch {
 public:
  /// Called with a sentence that names the silent rank, on a thread of the watch. It must end the
  /// process, because the work may be blocked in a call that never returns.
  using GiveUp = std::function<void(const std::string& why)>;

  /// Starts the watch. `store`: a separate connection for the watch.
  RankWatch(const engine::RankPlace& place, std::unique_ptr<RankStore> store, double timeout_s,
            GiveUp give_up);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  /// Reports progress of this rank's work.
  void progressed();
  /// Finds the rank that made an exchange fail; takes about two seconds. Empty: all ranks are alive
  /// and none has reported a failure.
  [[nodiscard]] std::string find_culprit();
  /// Stops the watch: no more calls of the store, no giving up. The work must also call it before
  /// it ends.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  void talk();   ///< thread for calls of the store, which may block
  void guard();  ///< thread for the time limit, which never blocks
  void beat(std::int64_t told);
  [[nodiscard]] std::string ask_all();

  const engine::RankPlace place_;
  const std::unique_ptr<RankStore> store_;
  const std::chrono::duration<double> timeout_;
  const GiveUp give_up_;

  std::mutex mutex_;  ///< guards all members below
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
