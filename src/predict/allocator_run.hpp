#pragma once

#include <map>
#include <vector>

#include "looped_step.hpp"

namespace rooflab::predict {

/// Runs the list through an allocator until it is steady: a step finds the blocks of the one
/// before.
class AllocatorRun {
 public:
  AllocatorRun(const LoopedStep& step, CachingAllocator& allocator);

  /// `kept` by the libraries, `buckets` by the exchange; `workspace` by op, empty: none. false: a
  /// tensor found no room. When a workspace finds none, the library runs another algorithm: one
  /// that needs `less`, by op, or nothing.
  [[nodiscard]] bool run(Bytes kept, const std::vector<Bytes>& buckets,
                         const std::vector<Bytes>& workspace, const std::vector<Bytes>& less);

  [[nodiscard]] Bytes allocated_peak() const { return allocated_peak_; }
  [[nodiscard]] Bytes reserved_peak() const { return reserved_peak_; }
  [[nodiscard]] Bytes largest_workspace() const { return largest_workspace_; }

 private:
  void observe();

  /// Memory that stays: the optimizer's state, or all but that.
  bool allocate_permanent(bool of_optimizer);
  bool run_step(const std::vector<Bytes>& workspace, const std::vector<Bytes>& less);

  /// What the step before left takes the places of what is there when this one begins, by size; the
  /// rest is dropped. false: something found no room.
  bool find_left_over();

  /// false: it found no room.
  bool use_workspace(Bytes bytes);
  void release_all(std::vector<CachingAllocator::Block>& all);

  const schedule::Schedule& schedule_;
  const Events& events_;
  std::size_t reset_;
  bool keeps_results_;
  std::size_t state_made_at_;
  CachingAllocator& allocator_;
  bool has_state_ = false;
  std::vector<CachingAllocator::Block> blocks_;  ///< index: storage; -1: no block
  std::vector<CachingAllocator::Block> old_gradients_;
  std::vector<CachingAllocator::Block> old_results_;
  std::multimap<Bytes, CachingAllocator::Block> left_over_;  ///< blocks that the last step left
  Bytes allocated_peak_;
  Bytes reserved_peak_;
  Bytes largest_workspace_;  ///< largest workspace that found room
};

}  // namespace rooflab::predict
