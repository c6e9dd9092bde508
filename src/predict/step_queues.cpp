// The queues of a step: the host's, the device's kernels, and the messages.
//
// Kernels run one after the other in the order in which the host issues them. Messages
// (CollectiveWork) and copies on other streams than the default one (`beside`) are a queue separate
// from the kernels' (exchange_queue.hpp), also in the order of their issue: one library, one
// link. What is in neither order follows from the data:
//
// - An entry of that queue starts when the host has issued it and the kernels that wrote what it
//   reads or overwrites have ended, but not behind other kernels that were issued before it. So the
//   gather of the next layer's parameters runs at the same time as this layer.
// - A kernel that reads or overwrites what an entry of that queue wrote waits for that entry.
//
// A message that PyTorch runs on the stream of the kernels (async_op=False) is waited for at once.
//
// Kernels are simulated late: only when an entry of that queue needs their results, when the host
// waits, or at the end of a step. So a message is known before the kernels that run at the same
// time, although the host issued it behind them. Nothing is lost by that: entries of that queue
// keep their order, and no later one can start before the one whose operands are computed.
//
// Not here: events by which a program makes streams wait for each other without data (FSDP bounds
// by them how far it gathers ahead), and several groups of processes, whose messages may overlap.

#include "step_queues.hpp"

#include <algorithm>
#include <deque>

#include "device_queue.hpp"

namespace rooflab::predict {

class StepQueues::Run {
 public:
  Run(const StepQueues& plan, const Pace& pace, const Contention& contention, const Ran& ran)
      : plan_(plan),
        pace_(pace),
        contention_(contention),
        ran_(ran),
        queue_(plan.times_.gap_s * pace.gap, plan.times_.latency_s),
        made_(plan.schedule_.storages.size()) {}

  Result result() {
    for (int step = 1; step <= steps_until_steady; ++step) {
      begin_s_ = queue_.end();
      result_ = {};
      last_kernel_ = none;
      last_ = step == steps_until_steady;
      queue_.issue(plan_.step_issue_s_ * pace_.host);
      for (std::size_t i = 0; i < plan_.ops_.size(); ++i) add(i);
      run_until(added_);
    }
    result_.period_s = queue_.end() - begin_s_;
    return result_;
  }

 private:
  static constexpr std::ptrdiff_t none = -1;

  /// An op that the host has issued and that was not simulated yet.
  struct Waiting {
    std::size_t op = 0;
    double issued_s = 0.0;
    std::ptrdiff_t after = none;  ///< the entry of `beside_` that it waits for
  };
  /// What was last written to a storage.
  struct Made {
    std::size_t by = 0;            ///< the kernel, counted over all steps from 1; 0: none
    double end_s = 0.0;            ///< when that kernel ended, once it was simulated
    std::ptrdiff_t beside = none;  ///< the entry of `beside_`
  };

  [[nodiscard]] const schedule::ScheduledOp& entry(std::size_t op) const {
    return plan_.schedule_.ops[op];
  }
  [[nodiscard]] bool is_message(std::size_t op) const { return entry(op).is_message(); }
  [[nodiscard]] Made& made(schedule::TensorId id) {
    return made_[static_cast<std::size_t>(plan_.schedule_.tensor(id).storage)];
  }
  /// Calls `visit` with what was last written to each storage that the op uses.
  template <class Visit>
  void each_used(std::size_t op, Visit visit) {
    for (const schedule::TensorId id : entry(op).reads) visit(made(id));
    for (const schedule::TensorId id : entry(op).writes) visit(made(id));
  }

  void add(std::size_t op) {
    const OpTime& time = plan_.ops_[op];
    queue_.issue(time.issue_s * pace_.host + entry(op).wrapped * pace_.wrapped_s);
    const bool runs = runs_on_device(time);
    if (runs && entry(op).beside) {
      add_beside(op);
    } else {
      Waiting next{op, queue_.issued(), none};
      ++added_;
      if (runs) {
        each_used(op, [&](const Made& used) { next.after = std::max(next.after, used.beside); });
        for (const schedule::TensorId id : entry(op).writes) made(id) = {added_, 0.0, none};
      }
      waiting_.push_back(next);
    }
    if (!entry(op).host_waits()) return;
    run_until(added_);
    queue_.host_waits();
  }

  void add_beside(std::size_t op) {
    std::size_t needed = 0;
    each_used(op, [&](const Made& used) { needed = std::max(needed, used.by); });
    run_until(needed);
    double ready_s = queue_.arrival(queue_.issued());
    each_used(op, [&](const Made& used) { ready_s = std::max(ready_s, used.end_s); });
    const auto number = static_cast<std::ptrdiff_t>(beside_.size());
    beside_.add(ready_s, alone_s(op));
    for (const schedule::TensorId id : entry(op).writes) made(id).beside = number;
    started_.push_back(op);
    tell(op, queue_.issued(), queue_.device_free(), queue_.device_free());
  }

  [[nodiscard]] double alone_s(std::size_t op) const {
    return plan_.ops_[op].device.time_s * (is_message(op) ? pace_.link : pace_.device);
  }

  /// Simulates kernels up to that one, counted from 1.
  void run_until(std::size_t number) {
    while (done_ < number) {
      const Waiting next = waiting_.front();
      waiting_.pop_front();
      ++done_;
      run(next);
    }
  }

  void run(const Waiting& next) {
    if (!runs_on_device(plan_.ops_[next.op])) {
      tell(next.op, next.issued_s, queue_.device_free(), queue_.device_free());
      return;
    }
    if (next.after != none) wait_for(static_cast<std::size_t>(next.after), next.issued_s);
    const double start_s = queue_.next_start(next.issued_s);
    if (is_message(next.op)) {
      started_.push_back(next.op);
      beside_.add(start_s, alone_s(next.op));
      wait_for(beside_.size() - 1, next.issued_s);
    } else {
      queue_.finish(beside_.run(start_s, alone_s(next.op), slowdown_of(next.op)));
    }
    last_kernel_ = static_cast<std::ptrdiff_t>(next.op);
    for (const schedule::TensorId id : entry(next.op).writes) {
      if (Made& written = made(id); written.by == done_) written.end_s = queue_.device_free();
    }
    tell(next.op, next.issued_s, start_s, queue_.device_free());
  }

  /// The device waits. What it waits for gets that time if no kernel ran since.
  void wait_for(std::size_t number, double issued_s) {
    const double free_s = queue_.next_start(issued_s);
    const double end_s = beside_.wait_for(number);
    if (end_s <= free_s) return;
    result_.waited_s += end_s - free_s;
    queue_.wait_until(end_s);
    const std::size_t op = started_[number];
    if (last_kernel_ < static_cast<std::ptrdiff_t>(op)) {
      tell(op, issued_s, beside_.start_of(number), end_s);
    }
  }

  [[nodiscard]] const MutualSlowdown& slowdown_of(std::size_t op) const {
    return op < plan_.limits_.size() ? contention_.beside(plan_.limits_[op]) : contention_.memory;
  }

  void tell(std::size_t op, double issued_s, double start_s, double end_s) const {
    if (last_ && ran_) ran_(op, issued_s - begin_s_, start_s - begin_s_, end_s - begin_s_);
  }

  const StepQueues& plan_;
  Pace pace_;
  Contention contention_;
  const Ran& ran_;
  DeviceQueue queue_;
  ExchangeQueue beside_;
  std::vector<std::size_t> started_;  ///< index: entry of `beside_`; its op
  std::vector<Made> made_;            ///< index: storage
  std::deque<Waiting> waiting_;
  std::size_t added_ = 0;              ///< kernels that the host has issued, over all steps
  std::size_t done_ = 0;               ///< how many of them were simulated
  std::ptrdiff_t last_kernel_ = none;  ///< the last op of this step that was simulated
  double begin_s_ = 0.0;
  bool last_ = false;
  Result result_;
};

StepQueues::Result StepQueues::run(const Pace& pace, const Ran& ran) const {
  return Run(*this, pace, contention_, ran).result();
}

double StepQueues::period_with(const Contention& contention) const {
  return Run(*this, {}, contention, nullptr).result().period_s;
}

}  // namespace rooflab::predict
