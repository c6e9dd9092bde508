// Why the list runs three times: the head of memory_model.cpp.

#include "allocator_run.hpp"

#include <algorithm>

namespace rooflab::predict {
namespace {

using schedule::Role;
using schedule::Schedule;
using schedule::ScheduledOp;
using schedule::Storage;
using schedule::StorageId;
using schedule::TensorId;

constexpr int steps_of_allocator = 3;

/// The first op that reads or writes the optimizer's state.
std::size_t first_use_of_state(const Schedule& schedule) {
  const auto is_state = [&schedule](TensorId id) {
    return schedule.storage_of(id).role == Role::optimizer_state;
  };
  const auto uses = [&](const ScheduledOp& op) {
    return std::ranges::any_of(op.reads, is_state) || std::ranges::any_of(op.writes, is_state);
  };
  return static_cast<std::size_t>(std::ranges::find_if(schedule.ops, uses) - schedule.ops.begin());
}

}  // namespace

AllocatorRun::AllocatorRun(const LoopedStep& step, CachingAllocator& allocator)
    : schedule_(step.schedule),
      events_(step.events),
      reset_(step.reset),
      keeps_results_(step.keeps_results),
      state_made_at_(first_use_of_state(step.schedule)),
      allocator_(allocator) {}

bool AllocatorRun::run(Bytes kept, const std::vector<Bytes>& buckets,
                       const std::vector<Bytes>& workspace, const std::vector<Bytes>& less) {
  if (kept > Bytes(0) && !allocator_.try_allocate(kept)) return false;
  for (const Bytes bucket : buckets) {
    if (!allocator_.try_allocate(bucket)) return false;
  }
  if (!allocate_permanent(false)) return false;
  if (state_made_at_ == schedule_.ops.size() && !allocate_permanent(true)) return false;
  observe();
  blocks_.assign(schedule_.storages.size(), -1);
  for (int step = 0; step < steps_of_allocator; ++step) {
    if (step > 0 && !find_left_over()) return false;
    if (!run_step(workspace, less)) return false;
  }
  return true;
}

void AllocatorRun::observe() {
  allocated_peak_ = std::max(allocated_peak_, allocator_.allocated());
  reserved_peak_ = std::max(reserved_peak_, allocator_.reserved());
}

bool AllocatorRun::allocate_permanent(bool of_optimizer) {
  for (std::size_t i = 0; i < schedule_.storages.size(); ++i) {
    const Storage& storage = schedule_.storages[i];
    const bool is_state = storage.role == Role::optimizer_state;
    if (!events_.permanent[i] || is_state != of_optimizer) continue;
    if (!allocator_.try_allocate(storage.bytes)) return false;
  }
  if (of_optimizer) has_state_ = true;
  return true;
}

bool AllocatorRun::run_step(const std::vector<Bytes>& workspace, const std::vector<Bytes>& less) {
  for (std::size_t i = 0; i < schedule_.ops.size(); ++i) {
    // The first step makes the optimizer's state, in what the activations have left.
    if (i == state_made_at_ && !has_state_ && !allocate_permanent(true)) return false;
    if (i == reset_) release_all(old_gradients_);
    for (const StorageId id : events_.born[i]) {
      const auto index = static_cast<std::size_t>(id);
      const auto block = allocator_.try_allocate(schedule_.storages[index].bytes);
      if (!block) return false;
      blocks_[index] = *block;
    }
    observe();
    const bool found = workspace.empty() || use_workspace(workspace[i]);
    if (!found && !less.empty()) use_workspace(less[i]);
    for (const StorageId id : events_.dead[i]) {
      CachingAllocator::Block& block = blocks_[static_cast<std::size_t>(id)];
      if (block >= 0) allocator_.release(block);  // the first step finds nothing left over
      block = -1;
    }
  }
  std::vector<CachingAllocator::Block> results;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i] < 0) continue;
    const Storage& storage = schedule_.storages[i];
    if (!events_.before.empty()) {
      left_over_.emplace(storage.bytes, blocks_[i]);
    } else {
      const bool gradient = storage.role == Role::parameter_gradient;
      (gradient ? old_gradients_ : results).push_back(blocks_[i]);
    }
    blocks_[i] = -1;
  }
  release_all(old_results_);
  old_results_ = std::move(results);
  if (!keeps_results_) release_all(old_results_);
  return true;
}

bool AllocatorRun::find_left_over() {
  for (const StorageId id : events_.before) {
    const auto index = static_cast<std::size_t>(id);
    const Bytes bytes = schedule_.storages[index].bytes;
    if (const auto left = left_over_.find(bytes); left != left_over_.end()) {
      blocks_[index] = left->second;
      left_over_.erase(left);
      continue;
    }
    const auto block = allocator_.try_allocate(bytes);
    if (!block) return false;
    blocks_[index] = *block;
  }
  for (const auto& [bytes, block] : left_over_) allocator_.release(block);
  left_over_.clear();
  observe();
  return true;
}

bool AllocatorRun::use_workspace(Bytes bytes) {
  if (bytes == Bytes(0)) return true;
  const auto block = allocator_.try_allocate(bytes);
  if (!block) return false;
  largest_workspace_ = std::max(largest_workspace_, bytes);
  observe();
  allocator_.release(*block);
  return true;
}

void AllocatorRun::release_all(std::vector<CachingAllocator::Block>& all) {
  for (const CachingAllocator::Block block : all) allocator_.release(block);
  all.clear();
}

}  // namespace rooflab::predict
