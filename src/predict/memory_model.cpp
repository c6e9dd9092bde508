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
#include <map>

#include "allocator_run.hpp"
#include "base/assert.hpp"
#include "looped_step.hpp"
#include "rooflab/cost/cost.hpp"

namespace rooflab::predict {
namespace {

using schedule::Role;
using schedule::Schedule;
using schedule::Storage;
using schedule::StorageId;
using schedule::StorageLife;
using schedule::TensorId;

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
