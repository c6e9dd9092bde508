// When the storages of a step appear and vanish: the rules are at the head of memory_model.cpp.

#include "looped_step.hpp"

#include <algorithm>
#include <limits>

namespace rooflab::predict {
namespace {

using schedule::Role;
using schedule::Schedule;
using schedule::ScheduledOp;
using schedule::Storage;
using schedule::StorageId;
using schedule::StorageLife;
using schedule::TensorId;

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

}  // namespace

LoopedStep::LoopedStep(const Schedule& of, const StepLoop& loop)
    : schedule(of),
      lives(lifetimes_of(of)),
      events(events_of(of, lives)),
      reset(gradients_reset_at(of, loop.reset)),
      keeps_results(loop.keeps_results),
      old_results(keeps_results ? results_of(of, lives) : Bytes(0)) {}

}  // namespace rooflab::predict
