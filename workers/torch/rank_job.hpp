#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rank_store.hpp"
#include "rank_watch.hpp"

namespace rooflab::torch_worker {

/// This process among the ranks of its job, for agreement apart from tensors. With one rank there
/// is neither store nor watch, and everything returns at once.
class RankJob {
 public:
  /// Joins the job. `name`: distinguishes jobs that share a store. Throws an exception of the
  /// framework when the ranks do not meet within the time limit.
  RankJob(const engine::RankPlace& place, std::string name, double timeout_s,
          RankWatch::GiveUp give_up);

  [[nodiscard]] const engine::RankPlace& place() const { return place_; }
  [[nodiscard]] bool first() const { return place_.rank == 0; }
  [[nodiscard]] bool alone() const { return place_.size == 1; }
  [[nodiscard]] RankStore& store() { return *store_; }  ///< not for a single rank

  /// Must be called at least once within every time limit.
  void progressed();
  /// Returns the value of rank 0 on every rank; all ranks must call it equally often.
  [[nodiscard]] std::int64_t agree(std::int64_t mine);
  /// Returns once all ranks have called it.
  void barrier();

  /// Sends a text to rank 0; the last one of each kind counts.
  void tell(const std::string& what, const std::string& text);
  /// Collects a text from each rank and waits for all. Only on rank 0.
  [[nodiscard]] std::vector<std::string> collect(const std::string& what);
  /// Texts that ranks had sent when the job failed; empty for ranks that had not. Only on rank 0,
  /// from any thread.
  [[nodiscard]] std::vector<std::string> told(const std::string& what) const;

  /// Reports that this rank ends because it failed itself, with reason and status.
  void tell_failure(const std::string& why, const std::string& status);
  /// Finds the rank that made an exchange fail; empty: no other rank did.
  [[nodiscard]] std::string find_culprit();
  /// Must be the last call: rank 0 waits until the others have left, for three seconds at most.
  void leave();

 private:
  engine::RankPlace place_;
  std::string name_;
  double timeout_s_;
  std::unique_ptr<RankStore> store_;
  std::unique_ptr<RankWatch> watch_;
  std::int64_t agreed_ = 0;
  std::int64_t barriers_ = 0;
};

}  // namespace rooflab::torch_worker
