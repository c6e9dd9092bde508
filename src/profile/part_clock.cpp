// The forward and the backward pass of any program's training step, told from its launches.
//
// Autograd runs the backward pass of a GPU's operations on a separate thread, and the thread that
// called it waits. So in a step of PyTorch
//
//   backward   the launches of the other thread: one unbroken run
//   optimizer  launches of the first thread after it, up to the last kernel that only optimizers
//              launch (`multi_tensor_apply`: foreach and fused optimizers, clipping of gradients,
//              foreach zero_grad, a foreach moving average of the weights)
//   forward    the launches of the first thread from there to the backward pass, the loss included,
//              and the fill of ones that the backward pass begins with
//
// The step may begin anywhere, so that runs go over its end into the next step. The rules say
// nothing, and no part is guessed, where
//
//   all launches are of one thread         no autograd of PyTorch, a CUDA graph, the backward pass
//                                          on the CPU's thread
//   the other thread has several runs      gradients of several micro-batches are added up
//   more than two threads launch           a process with several GPUs, several models
//   no optimizer's kernel is known         forward and optimizer are one run of launches: a program
//                                          without an optimizer, or one that updates tensor by
//                                          tensor
//   steps differ in these things
//
// Which of two threads is autograd's is told by the optimizer's kernels, which are on the other
// one; without them by the first thread that ever launched: before the first backward pass there is
// a forward pass. With activation checkpointing, the repeated forward work is in the backward pass.
//
// Source: PyTorch documentation, "Autograd mechanics" (multithreaded autograd: a thread a device);
// torch/csrc/autograd/engine.cpp; aten/src/ATen/native/cuda/MultiTensorApply.cuh.

#include "part_clock.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace rooflab::profile {
namespace {

constexpr std::string_view use_nvtx =
    "put an NVTX range around the part, and name it with --window nvtx:NAME";

constexpr PartProblem one_thread = {
    "forward and backward cannot be told apart: one thread launches the whole step", use_nvtx};
constexpr PartProblem many_threads = {
    "forward and backward cannot be told apart: more than two threads launch kernels", use_nvtx};
constexpr PartProblem many_runs = {
    "a step has several backward passes: gradients of micro-batches are added up", use_nvtx};
constexpr PartProblem no_optimizer = {
    "the forward pass cannot be told from an optimizer: no kernel of a foreach or fused optimizer "
    "was launched",
    "the window backward is known; the window step has everything of a program without an "
    "optimizer"};
constexpr PartProblem steps_differ = {
    "forward and backward cannot be told apart: the steps launch from different threads", use_nvtx};

bool alike(const std::vector<PassHint>& a, const std::vector<PassHint>& b) {
  return std::ranges::equal(a, b, [](const PassHint& x, const PassHint& y) {
    return x.thread == y.thread && x.updates == y.updates;
  });
}

}  // namespace

bool updates_parameters(std::string_view symbol) {
  return symbol.find("multi_tensor_apply") != std::string_view::npos;
}

LaunchSpan part_of_step(StepPart part, std::uintptr_t first_thread,
                        const std::vector<PassHint>& step, PartProblem& problem) {
  const auto fail = [&problem](const PartProblem& why) {
    problem = why;
    return LaunchSpan{};
  };
  std::vector<std::uintptr_t> threads;
  std::uintptr_t main_thread = first_thread;
  for (const PassHint& launch : step) {
    if (std::ranges::find(threads, launch.thread) == threads.end()) {
      threads.push_back(launch.thread);
    }
    if (launch.updates) main_thread = launch.thread;
  }
  if (threads.size() < 2) return fail(one_thread);
  if (threads.size() > 2 || std::ranges::find(threads, main_thread) == threads.end()) {
    return fail(many_threads);
  }
  const std::size_t count = step.size();
  ROOFLAB_ASSERT(count > 0);
  const auto is_main = [&](std::size_t i) { return step[i % count].thread == main_thread; };
  LaunchSpan backward;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_main(i) && !is_main(i + 1)) {
      ++runs;
      backward.begin = (i + 1) % count;
    }
    if (!is_main(i) && is_main(i + 1)) backward.end = (i + 1) % count;
  }
  if (runs > 1) return fail(many_runs);
  if (part == StepPart::backward) return backward;
  LaunchSpan forward = {count, backward.begin};
  for (std::size_t i = backward.end; i % count != backward.begin; ++i) {
    if (step[i % count].updates) forward.begin = (i + 1) % count;
  }
  if (forward.begin == count) return fail(no_optimizer);
  return {forward.begin, part == StepPart::forward ? forward.end : backward.end};
}

StepEvent PartClock::before_launch(StepEvent step, PassHint launch) {
  if (first_thread_ == 0) first_thread_ = launch.thread;
  if (!problem_.what.empty()) return StepEvent::searching;
  return knows_ ? follow(step) : learn(step, launch);
}

void PartClock::forget() {
  problem_ = {};
  knows_ = inside_ = open_ = false;
  step_.clear();
  first_.clear();
  whole_ = 0;
}

StepEvent PartClock::learn(StepEvent step, PassHint launch) {
  if (step == StepEvent::begins) {
    if (inside_) learned();
    step_.clear();
    inside_ = true;
    next_ = 0;
  } else if (step != StepEvent::inside) {
    inside_ = false;
  }
  if (knows_) return follow(step);
  if (inside_) step_.push_back(launch);
  return StepEvent::searching;
}

void PartClock::learned() {
  if (first_.empty()) first_ = step_;
  if (!alike(step_, first_)) {
    problem_ = steps_differ;
    return;
  }
  if (++whole_ < learned_steps) return;
  span_ = part_of_step(part_, first_thread_, first_, problem_);
  knows_ = problem_.what.empty();
}

StepEvent PartClock::follow(StepEvent step) {
  if (step == StepEvent::begins) {
    inside_ = true;
    next_ = 0;
  } else if (step != StepEvent::inside) {
    inside_ = false;
    return std::exchange(open_, false) ? StepEvent::broke : StepEvent::searching;
  }
  const std::size_t number = next_++;
  if (number == span_.begin) {
    open_ = true;
    return StepEvent::begins;
  }
  if (number == span_.end)
    return std::exchange(open_, false) ? StepEvent::ends : StepEvent::searching;
  return open_ ? StepEvent::inside : StepEvent::searching;
}

}  // namespace rooflab::profile
