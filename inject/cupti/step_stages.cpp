// The stages of a step: searched for, timed, traced, named, counted.

#include "profiler.hpp"

namespace rooflab::inject {
namespace {

using profile::StepRule;
using Clock = std::chrono::steady_clock;

constexpr int timing_rounds = 3;
constexpr int round_steps = 5;   // timed in a round, and as many traced
constexpr int timed_parts = 15;  // of steps, each by itself: rounds of one
constexpr int fewest_steps = 3;  // where steps are long
constexpr std::int64_t long_round_ns = 500'000'000;

}  // namespace

void Profiler::begin_step(const profile::Launch& launch) {
  if (stage_ == Stage::searching && ops_.active()) {
    ops_.stop();
    if (ops_.is_told()) return;  // which takes the host time
    ops_.end();
  }
  step_is_open_ = true;
  step_.clear();
  if (stage_ == Stage::searching) {
    if (groups_) groups_->pause();
    stop_tracing();
    begin_stage(Stage::timing);
  }
  switch (stage_) {
    case Stage::timing:
      if (steps_in_round_ == 0) {  // always, for a part of a step: other work lies between two
        driver_->synchronize();
        round_began_ns_ = trace_->now_ns();
      }
      break;
    case Stage::tracing:
      // Tells the kernels of graphs apart.
      file_.lines().step_begin(launch.correlation, trace_->now_ns());
      break;
    case Stage::naming:
      ops_.begin_step();
      break;
    case Stage::counting:
      if (!counting_ && Clock::now() < *retry_at_) break;
      driver_->synchronize();
      if (!counting_) start_counting();
      counting_->begin_step();
      held_.reset();
      break;
    case Stage::waiting:
    case Stage::searching:
    case Stage::done:
      break;
  }
}

void Profiler::end_step() {
  if (!step_is_open_) return;
  step_is_open_ = false;
  if (stage_ == Stage::counting) {
    if (!counting_) return;
    driver_->synchronize();
    counting_->end_step(step_);
    if (counting_->done()) finish();
    return;
  }
  if (stage_ == Stage::naming && ops_.end_step()) return end_naming();
  if (stage_ != Stage::timing && stage_ != Stage::tracing) return;
  if (reference_.empty()) reference_ = step_;
  ++steps_in_round_;
  const bool long_enough = trace_->now_ns() - round_began_ns_ >= long_round_ns;
  const bool alone = part_ && stage_ == Stage::timing;
  if (steps_in_round_ < (alone ? 1 : long_enough ? fewest_steps : round_steps)) return;
  driver_->synchronize();
  if (stage_ == Stage::timing) {
    file_.lines().timed_steps(steps_in_round_, trace_->now_ns() - round_began_ns_);
    steps_in_round_ = 0;
    if (++rounds_ < (part_ ? timed_parts : timing_rounds)) return;
    start_tracing();
    begin_stage(Stage::tracing);
  } else {
    stop_tracing();
    file_.lines().sequence(reference_);
    begin_stage(Stage::naming);
    if (!step_has_kernels_ || !ops_.begin_steps(reference_.size()))
      end_naming();  // nodes were told before
  }
}

void Profiler::end_naming() {
  ops_.end();
  if (!request_.counters) return finish();
  begin_stage(Stage::counting);
  start_counting();
}

void Profiler::begin_stage(Stage stage) {
  stage_ = stage;
  rounds_ = 0;
  steps_in_round_ = 0;
  round_began_ns_ = trace_->now_ns();
}

void Profiler::broke() {
  if (!step_is_open_) return;
  step_is_open_ = false;
  if (stage_ == Stage::counting && counting_ && counting_->armed()) {
    driver_->synchronize();
    counting_->abandon_step();
    if (counting_->done()) finish();
  } else if (stage_ == Stage::timing) {
    steps_in_round_ = 0;
  } else if (stage_ == Stage::tracing) {
    file_.lines().step_broke(trace_->now_ns());
  } else if (stage_ == Stage::naming && ops_.broke()) {
    end_naming();
  }
}

void Profiler::begin_anew() {
  generation_ = clock_->generation();
  if (part_) part_->forget();
  if (stage_ == Stage::searching) return;
  ops_.end();
  counting_.reset();
  step_is_open_ = false;
  step_has_kernels_ = false;
  reference_.clear();
  begin_search();
}

/// Where steps are told by a rule there is nothing to search for.
void Profiler::begin_search() {
  stage_ = Stage::searching;
  search_began_ = Clock::now();
  if (request_.step.kind == StepRule::Kind::automatic) start_tracing();
}

}  // namespace rooflab::inject
