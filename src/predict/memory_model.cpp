// Memory: which tensors are alive when.
//
// The schedule says which op first writes a storage and which last touches it. Parameters, buffers,
// input and optimizer state are there all the time; a parameter's gradient from its op to the end
// of the step (and, as gradients are reset after the loss, last step's gradients through the
// forward pass and the loss); what the caller or autograd keeps to the end of the forward pass or
// of the backward of its node; everything else from its first to its last use, as reference
// counting frees it. In-place results and views share the storage of their operand.
//
//   saved_activations    distinct storages that autograd saved or the caller holds after the
//                        forward pass, without parameters, buffers and input
//   cache                keys and values of the tokens before (recordings): those that are there
//                        when the step ends, where it drops them all the most at once;
//                        activations do not hold them
//   peak_activations     largest sum of activations and their gradients over the list
//   allocated_peak       largest sum of everything over the list
//   reserved             the caching allocator's segments after three such steps
//
// The first step makes the optimizer's state when it comes to the optimizer, in what the
// activations have left: it then lies in the middle of segments that the next steps need, and these
// reserve more than if it had been there from the beginning. So the allocator runs three steps.
// Seen in the recordings of ALBERT and DeBERTa (docs/methods/recordings.md).
//
// A data-parallel step has buckets, which hold a copy of every gradient from the first step on
// (gradient_buckets.cpp; DistributedDataParallel without gradient_as_bucket_view). A loop that
// keeps a step's results (`out = model(x)`) holds them, and what autograd saved for them, until the
// next step is done: source: PyTorch documentation, "Frequently Asked Questions: My model reports
// 'cuda runtime error(2): out of memory'".
//
// Workspaces of library algorithms and the driver's context were observed where the device was
// probed; elsewhere they are assumed (library_memory.cpp). An op's workspace lives while the op
// runs, what the libraries keep (cuBLAS) and the context all the time. A workspace depends on the
// algorithm that a library picks, so there are two figures, the expected one (workspace.cpp) and
// the most that is plausible; the verdict `fits` uses the latter. An op that finds no room for its
// workspace runs another algorithm, so a step can do with
//
//     least_total          largest sum of tensors alive at once, what the libraries keep and half
//                          of the context, as far as these were observed. Half: a process that
//                          launches fewer kernels than the probe holds less (0.5 GB were seen on an
//                          H200 whose probe saw 0.86)
//
// Source of the rules: PyTorch documentation, "CUDA semantics"; checked against measured figures
// (docs/methods/memory.md). What a device makes of these figures: memory_verdict.cpp.

#include "rooflab/predict/memory_model.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/assert.hpp"
#include "rooflab/cost/cost.hpp"

namespace rooflab::predict {
namespace {

using schedule::Role;
using schedule::Schedule;
using schedule::ScheduledOp;
using schedule::Storage;
using schedule::StorageId;
using schedule::TensorId;

constexpr int steps_of_allocator = 3;
constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

bool is_permanent(Role role) {
  return role == Role::parameter || role == Role::buffer || role == Role::input ||
         role == Role::optimizer_state;
}

using schedule::StorageLife;

/// First and last op of every storage; `last` is the number of ops for what outlives the list.
using Lifetimes = std::vector<StorageLife>;

Lifetimes lifetimes_of(const Schedule& schedule) {
  if (!schedule.lives.empty()) return schedule.lives;
  Lifetimes lives(schedule.storages.size(), {never, 0});
  const auto touch = [&](TensorId id, std::size_t when) {
    const auto storage = static_cast<std::size_t>(schedule.tensor(id).storage);
    lives[storage].first = std::min(lives[storage].first, when);
    lives[storage].last = std::max(lives[storage].last, when);
  };
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    const ScheduledOp& op = schedule.ops[i];
    for (const TensorId id : op.reads) touch(id, i);
    for (const TensorId id : op.writes) touch(id, i);
    for (const TensorId id : op.holds) touch(id, i);
  }
  const std::size_t end = schedule.ops.size();
  const auto keep = [&](TensorId id) {
    lives[static_cast<std::size_t>(schedule.tensor(id).storage)].last = end;
  };
  // Results stay with the caller, and so does all that autograd saved and no backward released.
  for (const TensorId id : schedule.outputs) keep(id);
  if (schedule.phase == Phase::forward) {
    for (const TensorId id : schedule.saved) keep(id);
  }
  for (std::size_t i = 0; i < schedule.storages.size(); ++i) {
    if (schedule.storages[i].role == Role::parameter_gradient) lives[i].last = end;
  }
  return lives;
}

/// Storages by the op before which they appear and after which they vanish.
struct Events {
  std::vector<StorageId> before;  ///< left by the step before, and freed in this one
  std::vector<std::vector<StorageId>> born;
  std::vector<std::vector<StorageId>> dead;
  std::vector<bool> permanent;  ///< index: storage
};

Events events_of(const Schedule& schedule, const Lifetimes& lives) {
  Events events{.born = std::vector<std::vector<StorageId>>(schedule.ops.size()),
                .dead = std::vector<std::vector<StorageId>>(schedule.ops.size())};
  for (std::size_t i = 0; i < schedule.storages.size(); ++i) {
    const StorageLife& life = lives[i];
    const bool outlives = life.last >= schedule.ops.size();
    events.permanent.push_back(is_permanent(schedule.storages[i].role) ||
                               (life.before && outlives));
    if (events.permanent.back() || life.first >= schedule.ops.size()) continue;
    const auto id = static_cast<StorageId>(i);
    if (life.before) {
      events.before.push_back(id);
    } else {
      events.born[life.first].push_back(id);
    }
    if (!outlives) events.dead[life.last].push_back(id);
  }
  return events;
}

/// The op before which last step's gradients are dropped.
std::size_t gradients_reset_at(const Schedule& schedule, GradientReset reset) {
  if (!schedule.lives.empty()) return 0;  // their lives say it
  if (reset == GradientReset::before_forward) return 0;
  const auto backward = std::ranges::find_if(schedule.ops, [](const ScheduledOp& op) {
    return op.pass == schedule::Pass::data_gradient || op.pass == schedule::Pass::weight_gradient;
  });
  return static_cast<std::size_t>(backward - schedule.ops.begin());
}

/// Bytes of a role; gradients that the step before left do not count.
Bytes sum_of(const Schedule& schedule, Role role) {
  Bytes total;
  for (std::size_t i = 0; i < schedule.storages.size(); ++i) {
    if (schedule.storages[i].role != role) continue;
    if (role == Role::parameter_gradient && !schedule.lives.empty()) {
      const StorageLife& life = schedule.lives[i];
      if (life.before && life.last < schedule.ops.size()) continue;
    }
    total += schedule.storages[i].bytes;
  }
  return total;
}

Bytes held_after_forward(const Schedule& schedule) {
  if (schedule.phase == Phase::inference) return Bytes(0);
  std::vector<StorageId> held;
  for (const std::vector<TensorId>* list : {&schedule.saved, &schedule.outputs}) {
    for (const TensorId id : *list) held.push_back(schedule.tensor(id).storage);
  }
  std::ranges::sort(held);
  held.erase(std::unique(held.begin(), held.end()), held.end());
  Bytes total;
  for (const StorageId id : held) {
    const Storage& storage = schedule.storages[static_cast<std::size_t>(id)];
    if (storage.role == Role::activation) total += storage.bytes;
  }
  return total;
}

bool is_cache(const Schedule& schedule, std::size_t storage) {
  return schedule.storages[storage].role == Role::cache;
}

/// Storages of a cache that are there when the step ends; where it drops them all, the most at
/// once. nullopt: it has none.
std::optional<Bytes> cache_of(const Schedule& schedule, const Lifetimes& lives) {
  bool any = false;
  Bytes kept;
  std::map<std::size_t, std::pair<Bytes, Bytes>> changes;  // by op: what is made, what was freed
  for (std::size_t i = 0; i < schedule.storages.size(); ++i) {
    if (!is_cache(schedule, i)) continue;
    any = true;
    const Bytes bytes = schedule.storages[i].bytes;
    if (lives[i].last >= schedule.ops.size()) kept += bytes;
    changes[lives[i].before ? 0 : lives[i].first].first += bytes;
    changes[lives[i].last + 1].second += bytes;
  }
  if (!any) return std::nullopt;
  if (kept > Bytes(0)) return kept;
  Bytes alive;
  Bytes most;
  for (const auto& [op, change] : changes) {
    alive -= change.second;
    alive += change.first;
    most = std::max(most, alive);
  }
  return most;
}

MemoryEstimate memory_of_tensors(const Schedule& schedule) {
  MemoryEstimate memory;
  memory.parameters = sum_of(schedule, Role::parameter);
  memory.buffers = sum_of(schedule, Role::buffer);
  memory.gradients = sum_of(schedule, Role::parameter_gradient);
  memory.optimizer = sum_of(schedule, Role::optimizer_state);
  memory.input = sum_of(schedule, Role::input);
  memory.saved_activations = held_after_forward(schedule);
  return memory;
}

/// Sums alive without workspaces.
struct LiveSums {
  Bytes between_steps;
  std::vector<Bytes> at_op;
  Bytes peak_activations;
};

LiveSums live_sums(const Schedule& schedule, const Events& events, std::size_t reset,
                   const MemoryEstimate& tensors, Bytes kept, Bytes old_results) {
  LiveSums sums;
  sums.between_steps = tensors.exchange.value_or(Bytes(0)) + kept + old_results;
  Bytes activations;
  Bytes gradients;
  Bytes cache;
  const auto sum_for = [&](const Storage& storage) -> Bytes& {
    if (storage.role == Role::cache) return cache;
    return storage.role == Role::parameter_gradient ? gradients : activations;
  };
  const auto add = [&](StorageId id) {
    const Storage& storage = schedule.storages[static_cast<std::size_t>(id)];
    sum_for(storage) += storage.bytes;
  };
  for (std::size_t i = 0; i < schedule.storages.size(); ++i) {
    if (events.permanent[i]) sums.between_steps += schedule.storages[i].bytes;
  }
  for (const StorageId id : events.before) add(id);
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    for (const StorageId id : events.born[i]) add(id);
    const Bytes previous = i < reset ? tensors.gradients : Bytes(0);
    sums.peak_activations = std::max(sums.peak_activations, activations);
    sums.at_op.push_back(sums.between_steps + activations + gradients + cache + previous);
    for (const StorageId id : events.dead[i]) {
      const Storage& storage = schedule.storages[static_cast<std::size_t>(id)];
      sum_for(storage) -= storage.bytes;
    }
  }
  return sums;
}

/// What a step leaves to its caller when it is done: of the list that ends alive, without
/// gradients. A cache that was there before takes the place of the one that the step before left.
Bytes results_of(const Schedule& schedule, const Lifetimes& lives) {
  Bytes total;
  bool had_cache = false;
  for (std::size_t i = 0; i < schedule.storages.size(); ++i) {
    had_cache = had_cache || (is_cache(schedule, i) && lives[i].before);
  }
  for (std::size_t i = 0; i < schedule.storages.size(); ++i) {
    const Storage& storage = schedule.storages[i];
    if (is_permanent(storage.role) || storage.role == Role::parameter_gradient) continue;
    if (had_cache && storage.role == Role::cache) continue;
    const StorageLife& life = lives[i];
    if (life.before || life.first == never || life.last < schedule.ops.size()) continue;
    total += storage.bytes;
  }
  return total;
}

/// Bytes that the exchange of gradients holds; nullopt: nothing is exchanged.
std::optional<Bytes> sum_of(const std::vector<Bytes>& buckets) {
  if (buckets.empty()) return std::nullopt;
  Bytes total;
  for (const Bytes bytes : buckets) total += bytes;
  return total;
}

/// Workspaces by op, in whole bytes.
struct OpWorkspaces {
  std::vector<Bytes> expected;
  std::vector<Bytes> most;
  std::vector<Bytes> less;
};

OpWorkspaces workspaces_of(const LibraryMemory& library, const LiveSums& live) {
  const auto whole = [](double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); };
  OpWorkspaces result;
  for (std::size_t i = 0; i < library.workspace.size(); ++i) {
    const Workspace& workspace = library.workspace[i];
    result.expected.push_back(whole(workspace.expected(live.at_op[i].as_double())));
    result.most.push_back(whole(workspace.most));
    result.less.push_back(whole(workspace.less));
  }
  return result;
}

/// The step and the loop around it.
struct LoopedStep {
  LoopedStep(const Schedule& of, const StepLoop& loop)
      : schedule(of),
        lives(lifetimes_of(of)),
        events(events_of(of, lives)),
        reset(gradients_reset_at(of, loop.reset)),
        keeps_results(loop.keeps_results),
        old_results(keeps_results ? results_of(of, lives) : Bytes(0)) {}

  const Schedule& schedule;
  Lifetimes lives;
  Events events;
  std::size_t reset;
  bool keeps_results;
  Bytes old_results;  ///< what the step before still holds
};

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

/// Runs the list through an allocator until it is steady: a step finds the blocks of the one
/// before.
class AllocatorRun {
 public:
  AllocatorRun(const LoopedStep& step, CachingAllocator& allocator)
      : schedule_(step.schedule),
        events_(step.events),
        reset_(step.reset),
        keeps_results_(step.keeps_results),
        state_made_at_(first_use_of_state(step.schedule)),
        allocator_(allocator) {}

  /// `kept` by the libraries, `buckets` by the exchange; `workspace` by op, empty: none. false: a
  /// tensor found no room. When a workspace finds none, the library runs another algorithm: one
  /// that needs `less`, by op, or nothing.
  [[nodiscard]] bool run(Bytes kept, const std::vector<Bytes>& buckets,
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

  [[nodiscard]] Bytes allocated_peak() const { return allocated_peak_; }
  [[nodiscard]] Bytes reserved_peak() const { return reserved_peak_; }
  [[nodiscard]] Bytes largest_workspace() const { return largest_workspace_; }

 private:
  void observe() {
    allocated_peak_ = std::max(allocated_peak_, allocator_.allocated());
    reserved_peak_ = std::max(reserved_peak_, allocator_.reserved());
  }

  /// Memory that stays: the optimizer's state, or all but that.
  bool allocate_permanent(bool of_optimizer) {
    for (std::size_t i = 0; i < schedule_.storages.size(); ++i) {
      const Storage& storage = schedule_.storages[i];
      const bool is_state = storage.role == Role::optimizer_state;
      if (!events_.permanent[i] || is_state != of_optimizer) continue;
      if (!allocator_.try_allocate(storage.bytes)) return false;
    }
    if (of_optimizer) has_state_ = true;
    return true;
  }

  bool run_step(const std::vector<Bytes>& workspace, const std::vector<Bytes>& less) {
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

  /// What the step before left takes the places of what is there when this one begins, by size; the
  /// rest is dropped. false: something found no room.
  bool find_left_over() {
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

  /// false: it found no room.
  bool use_workspace(Bytes bytes) {
    if (bytes == Bytes(0)) return true;
    const auto block = allocator_.try_allocate(bytes);
    if (!block) return false;
    largest_workspace_ = std::max(largest_workspace_, bytes);
    observe();
    allocator_.release(*block);
    return true;
  }

  void release_all(std::vector<CachingAllocator::Block>& all) {
    for (const CachingAllocator::Block block : all) allocator_.release(block);
    all.clear();
  }

  const Schedule& schedule_;
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

/// What a request may reserve once more where the blocks of the first steps, which no recording
/// holds, lie otherwise than here: a block of the largest tensor that comes and goes.
Bytes largest_fragment(const Schedule& schedule) {
  Bytes largest;
  for (std::size_t i = 0; i < schedule.lives.size(); ++i) {
    const bool stays =
        is_permanent(schedule.storages[i].role) || schedule.lives[i].last >= schedule.ops.size();
    if (!stays) largest = std::max(largest, schedule.storages[i].bytes);
  }
  return largest;
}

Bytes buffers_of(const LibraryMemory& library) {
  return library.communication ? library.communication->expected : Bytes(0);
}

Bytes reserved_after(const LoopedStep& step, Bytes kept, const std::vector<Bytes>& buckets,
                     const std::vector<Bytes>& workspace) {
  CachingAllocator allocator;
  const bool done = AllocatorRun(step, allocator).run(kept, buckets, workspace, {});
  ROOFLAB_ASSERT(done);
  return allocator.reserved();
}

}  // namespace

MemoryEstimate estimate_memory(const Schedule& schedule, StepLoop loop,
                               const LibraryMemory* library) {
  const LibraryMemory none;
  const LibraryMemory& known = library == nullptr ? none : *library;
  MemoryEstimate memory = memory_of_tensors(schedule);
  memory.exchange = sum_of(known.buckets);
  memory.counted = cost::coverage_of(schedule).memory;
  const LoopedStep step(schedule, loop);
  memory.cache = cache_of(schedule, step.lives);
  const LiveSums live =
      live_sums(schedule, step.events, step.reset, memory, known.kept, step.old_results);
  memory.peak_activations = live.peak_activations;
  Bytes tensors = live.between_steps;
  for (const Bytes bytes : live.at_op) tensors = std::max(tensors, bytes);
  memory.allocated_peak = tensors;
  const auto reserved = [&](Bytes kept, const std::vector<Bytes>& workspace) {
    return reserved_after(step, kept, known.buckets, workspace);
  };
  Bytes most_reserved;
  if (known.workspace.empty()) {
    memory.unknown.emplace_back("workspace");
    memory.reserved = most_reserved = reserved(known.kept, {});
  } else {
    const OpWorkspaces workspace = workspaces_of(known, live);
    Bytes largest;
    for (std::size_t i = 0; i < workspace.expected.size(); ++i) {
      const Bytes bytes = workspace.expected[i];
      largest = std::max(largest, bytes);
      memory.allocated_peak = std::max(memory.allocated_peak, live.at_op[i] + bytes);
    }
    memory.workspace = largest + known.kept;
    memory.reserved = reserved(known.kept, workspace.expected);
    most_reserved = std::max(memory.reserved, reserved(known.kept, workspace.most));
  }
  const Bytes fragment = largest_fragment(schedule);
  const Bytes most_with_fragment = std::max(most_reserved, memory.reserved + fragment);
  if (!known.context) memory.unknown.emplace_back("context");
  memory.context = known.context;
  const Bytes context = known.context.value_or(Bytes(0));
  memory.total = memory.reserved + context;
  memory.most_total = most_with_fragment + known.most_context;
  if (known.communication) {
    memory.communication_buffers = known.communication->expected;
    memory.total += known.communication->expected;
    memory.most_total += known.communication->most;
    memory.assumed.push_back(*known.communication);
  }
  memory.least_total = tensors;
  if (!known.workspace_source.empty()) {
    const Bytes bare = reserved(Bytes(0), {});
    memory.least_total -= known.kept;
    // A workspace may fill what the allocator's segments would leave over: then it takes no more.
    const Bytes more = std::max(Bytes(0), memory.reserved - bare);
    memory.assumed.push_back(
        {"workspace", more, std::max(more, most_reserved - bare), known.workspace_source});
  }
  if (!known.context_source.empty()) {
    memory.assumed.push_back({"context", context, known.most_context, known.context_source});
  } else {
    memory.least_total += Bytes(context.value() / 2);
  }
  if (fragment > Bytes(0)) {
    memory.assumed.push_back({"fragments", Bytes(0), fragment, "the largest tensor"});
  }
  return memory;
}

std::optional<MemoryEstimate> memory_within(const Schedule& schedule, Bytes device_memory,
                                            StepLoop loop, const LibraryMemory* library) {
  const LibraryMemory none;
  const LibraryMemory& known = library == nullptr ? none : *library;
  const Bytes context = known.context.value_or(Bytes(0)) + buffers_of(known);
  if (context >= device_memory) return std::nullopt;
  const LoopedStep step(schedule, loop);
  CachingAllocator allocator(device_memory - context);
  AllocatorRun run(step, allocator);
  MemoryEstimate tensors = memory_of_tensors(schedule);
  tensors.exchange = sum_of(known.buckets);
  const OpWorkspaces workspace = workspaces_of(
      known, live_sums(schedule, step.events, step.reset, tensors, known.kept, step.old_results));
  if (!run.run(known.kept, known.buckets, workspace.expected, workspace.less)) return std::nullopt;
  MemoryEstimate memory = estimate_memory(schedule, loop, library);
  memory.allocated_peak = run.allocated_peak();
  memory.reserved = run.reserved_peak();
  memory.total = memory.most_total = memory.reserved + context;
  if (memory.workspace) memory.workspace = run.largest_workspace() + known.kept;
  return memory;
}

}  // namespace rooflab::predict
