// What an exchange adds to a step: the head of scaling.cpp.

#include "exchanging_step.hpp"

#include <algorithm>
#include <map>

#include "device_queue.hpp"
#include "exchange_queue.hpp"

namespace rooflab::predict {
namespace {

using schedule::Pass;
using schedule::Schedule;

/// Buffers of one type.
struct BufferGroup {
  std::vector<double> bytes;
  [[nodiscard]] double sum() const {
    double all = 0.0;
    for (const double each : bytes) all += each;
    return all;
  }
};

std::vector<BufferGroup> buffers_of(const Schedule& schedule) {
  std::map<DType, BufferGroup> groups;
  for (const graph::Value& value : schedule.graph.values) {
    if (value.kind != graph::ValueKind::buffer) continue;
    const auto elements = static_cast<double>(value.type.shape.elements());
    groups[value.type.dtype].bytes.push_back(elements *
                                             static_cast<double>(size_of(value.type.dtype)));
  }
  for (const schedule::ScheduledOp& op : schedule.ops) {  // batch norm's counts of batches
    if (!std::holds_alternative<schedule::CounterWork>(op.work)) continue;
    const schedule::Tensor& count = schedule.tensor(op.writes.front());
    groups[count.type.dtype].bytes.push_back(count.distinct_bytes().as_double());
  }
  std::vector<BufferGroup> found;
  for (auto& [dtype, group] : groups) found.push_back(std::move(group));
  return found;
}

}  // namespace

/// One run through the step, until it is steady.
class ExchangingStep::Run {
 public:
  /// nullptr: nothing is exchanged.
  Run(const ExchangingStep& plan, const AllReduceTime* all_reduce_s, const Contention& contention)
      : plan_(plan),
        all_reduce_s_(all_reduce_s),
        contention_(contention),
        bytes_(plan.bucket_bytes()),
        queue_(plan.costs_.gap_s, plan.costs_.latency_s) {}

  Result result() {
    double last_end = 0.0;
    for (int i = 0; i < steps_until_steady; ++i) {
      last_end = queue_.end();
      one_step();
    }
    result_.period_s = queue_.end() - last_end;
    return result_;
  }

 private:
  void one_step() {
    exchanges_ = {};
    gradient_ = 0;
    result_ = {};
    double issued = 0.0;
    for (const OpTime& op : plan_.step_.ops) issued += op.issue_s;
    // What the host pays once a step.
    queue_.issue(std::max(0.0, plan_.step_.host.value - issued));
    if (all_reduce_s_ != nullptr) send_buffers();
    bool exchanged = all_reduce_s_ == nullptr;
    for (std::size_t i = 0; i < plan_.schedule_.ops.size(); ++i) {
      if (!exchanged && plan_.schedule_.ops[i].pass == Pass::optimizer) {
        take_back();
        exchanged = true;
      }
      const OpTime& op = plan_.step_.ops[i];
      queue_.issue(op.issue_s);
      if (!op.device.kind.empty()) execute(op.device.time_s, slowdown_of(i));
      if (plan_.schedule_.ops[i].host_waits()) queue_.host_waits();
      while (!exchanged && gradient_ < plan_.gradients_.size() &&
             plan_.gradients_[gradient_].op == i) {
        give_next_gradient();
      }
    }
    if (!exchanged) take_back();  // a step without an optimizer ends with its gradients
    result_.slowdown = exchanges_.kernel_slowdown();
    result_.all_reduce_slowdown = exchanges_.all_reduce_slowdown();
  }

  void send_buffers() {
    for (const BufferGroup& group : buffers_of(plan_.schedule_)) {
      copy(group.sum());
      queue_.issue(plan_.costs_.collective_issue_s);
      queue_.wait_until(queue_.next_start() + (*all_reduce_s_)(group.sum()) / 2.0);
      for (const double bytes : group.bytes) copy(bytes);
    }
  }

  [[nodiscard]] const MutualSlowdown& slowdown_of(std::size_t op) const {
    const std::vector<OpLimit>& limits = plan_.limits_;
    const bool computes = op < limits.size() && limits[op].bound == Bound::compute;
    return computes ? contention_.compute : contention_.memory;
  }

  /// A kernel that takes so long with the device to itself.
  void execute(double alone_s, const MutualSlowdown& slowdown) {
    queue_.finish(exchanges_.run(queue_.next_start(), alone_s, slowdown));
  }

  void copy(double bytes) {
    queue_.issue(plan_.costs_.copy_issue_s);
    execute(plan_.costs_.copy_s(bytes), contention_.memory);
  }

  void give_next_gradient() {
    copy(plan_.gradients_[gradient_].bytes);
    const std::vector<std::size_t>& bucket = plan_.buckets_[exchanges_.size()];
    if (bucket.back() == gradient_) {
      queue_.issue(plan_.costs_.collective_issue_s);
      const double ready = std::max(queue_.device_free(), queue_.host() + plan_.costs_.latency_s);
      const double time = (*all_reduce_s_)(bytes_[exchanges_.size()]);
      exchanges_.add(ready, time);
      result_.communication_s += time;
    }
    ++gradient_;
  }

  void take_back() {
    for (std::size_t b = 0; b < exchanges_.size(); ++b) {
      const double end_s = exchanges_.wait_for(b);
      result_.waited_s += std::max(0.0, end_s - queue_.next_start());
      queue_.wait_until(end_s);
      for (const std::size_t i : plan_.buckets_[b]) copy(plan_.gradients_[i].bytes);
    }
  }

  const ExchangingStep& plan_;
  const AllReduceTime* all_reduce_s_;
  Contention contention_;
  std::vector<double> bytes_;  ///< bytes of each bucket
  DeviceQueue queue_;
  ExchangeQueue exchanges_;   ///< a full bucket each
  std::size_t gradient_ = 0;  ///< the next to come
  Result result_;
};

ExchangingStep::ExchangingStep(const Schedule& schedule, const StepTime& step,
                               const device::Device& device, const ExchangeCosts& costs)
    : schedule_(schedule), step_(step), costs_(costs), gradients_(gradients_of(schedule)) {
  std::vector<double> bytes;
  for (const GradientReady& gradient : gradients_) bytes.push_back(gradient.bytes);
  buckets_ = gradient_buckets(bytes);
  if (costs.contention.measured) limits_ = limit_of(schedule, device).ops;
}

ExchangingStep::Result ExchangingStep::run(const AllReduceTime& all_reduce_s,
                                           const Contention& contention) const {
  return Run(*this, &all_reduce_s, contention).result();
}

double ExchangingStep::plain_period_s() const {
  return Run(*this, nullptr, Contention()).result().period_s;
}

std::vector<double> ExchangingStep::bucket_bytes() const {
  std::vector<double> sums;
  for (const std::vector<std::size_t>& bucket : buckets_) {
    sums.push_back(0.0);
    for (const std::size_t i : bucket) sums.back() += gradients_[i].bytes;
  }
  return sums;
}

}  // namespace rooflab::predict
