// The time of a data-parallel training step.
//
// Every device runs the step of its own batch; what is added is what PyTorch's
// DistributedDataParallel adds. The step's two queues (step_time.cpp) are run through again with
// it:
//
// - Before the forward pass buffers, where the network has any, are sent from the first device to
//   the others: of each type one concatenation, one broadcast, and a copy back for every buffer. A
//   broadcast counts as half of an all-reduce, which is one way there and one back.
// - When the last op of a gradient has run, a kernel copies it into its bucket, divided by n.
// - A bucket that is full (gradient_buckets.cpp) is all-reduced (all_reduce.cpp) as soon as the one
//   before it is done, beside the backward pass.
// - After the backward pass, bucket by bucket, the device waits for the all-reduce and copies every
//   gradient back. Then the optimizer runs, if there is one.
//
// A copy reads and writes its bytes once and takes the device what the calibration's elementwise
// ops take, and the host what one issued from C++ takes. A call for a collective counts as five
// launches: the kernel, two events recorded, two streams made to wait.
//
// Contention. An all-reduce and the kernels beside it slow each other (exchange_queue.hpp). Where
// `rooflab probe --links` measured by how much, kernels whose roof is arithmetic take the figures
// of the product, all others those of the copy; the copies of gradients too. Else the all-reduce's
// kernels keep one multiprocessor for each channel to themselves, c of s, and the other kernels are
// slowed by s / (s - c). That holds for kernels that fill the device, by arithmetic; that those
// bound by memory suffer alike is an assumption, as is that the all-reduce itself is not slowed.
// Processors that are not GPUs are then not slowed: Gloo's threads are not known. Sources:
// github.com/NVIDIA/nccl/issues/689 (a channel has a multiprocessor that it does not share).
//
// Interval. The step's deviation, weighted by its share of the time, and the link's: the step is
// run through with all-reduces longer and shorter by one deviation, and half of the logarithm of
// the ratio is what the link contributes. Where nobody measured how all-reduces and kernels slow
// each other, it is also run through with both 18.9 % slower beside each other, and 18.9 % less
// slowed: the average seen elsewhere (of kernels beside an exchange, on A100, H100, MI210 and
// MI250). Source: Lee et al., "Characterizing Compute-Communication Overlap in GPU-Accelerated
// Distributed Deep Learning", arXiv 2507.03114, 2025.
//
// Not here: waiting for a slower device (all are assumed to be alike), hosts with links of several
// speeds (name the slowest), gradients as views of buckets, the time that Python spends in the
// wrapper. Source: Li et al., "PyTorch Distributed", VLDB 2020; torch/csrc/distributed/c10d,
// reducer.cpp and comm.cpp; torch/nn/parallel/distributed.py, of PyTorch 2.11.

#include "rooflab/predict/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "contention.hpp"
#include "device_queue.hpp"
#include "exchange_queue.hpp"
#include "interval.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::predict {
namespace {

using schedule::Pass;
using schedule::Schedule;

/// What the parts of the exchange cost a device and its host.
struct ExchangeCosts {
  std::function<double(double bytes)> copy_s;
  double copy_issue_s = 0.0;
  double collective_issue_s = 0.0;
  double gap_s = 0.0;
  double latency_s = 0.0;
  Contention contention;
};

ExchangeCosts costs_of(const StepTime& step, const TimeModel& model, const Contention& contention) {
  const device::Calibration& calibration = model.calibration();
  ExchangeCosts costs;
  costs.contention = contention;
  costs.gap_s = step.gap_s;
  costs.copy_s = [&model, known = std::map<double, double>()](double bytes) mutable {
    const auto found = known.find(bytes);
    if (found != known.end()) return found->second;
    const OpShape copy{"copy", "forward", "f32", "", {std::max(1.0, bytes / 4.0)}};
    return known.emplace(bytes, model.estimate(copy).time_s).first->second;
  };
  // Host launches are not included, or a graph holds the collectives, too.
  if (step.host.value <= 0.0 || step.replayed) return costs;
  const double launch = model.figure_or("launch.issue", fallback_launch_s);
  costs.latency_s = fallback_latency_s;
  costs.collective_issue_s = launches_of_a_collective * launch;
  costs.copy_issue_s = launch;
  for (const device::HostCosts& host : calibration.hosts) {
    const auto copy = host.ops.find("copy");
    if (host.issuer == "rooflab" && copy != host.ops.end()) {
      costs.copy_issue_s = copy->second.inference_s;
    }
  }
  return costs;
}

ExchangeCosts costs_of(const device::Device& device, const Contention& contention) {
  ExchangeCosts costs;
  costs.contention = contention;
  const double bandwidth = device.bandwidth ? device.bandwidth->value : 0.0;
  if (bandwidth <= 0.0) {
    throw Error(ErrorKind::input, device.name + " has no figure for its memory's bandwidth");
  }
  costs.copy_s = [bandwidth](double bytes) { return 2.0 * bytes / bandwidth; };
  return costs;
}

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

/// One run through the step.
class ExchangingStep {
 public:
  ExchangingStep(const Schedule& schedule, const StepTime& step, const device::Device& device,
                 const ExchangeCosts& costs)
      : schedule_(schedule), step_(step), costs_(costs), gradients_(gradients_of(schedule)) {
    std::vector<double> bytes;
    for (const GradientReady& gradient : gradients_) bytes.push_back(gradient.bytes);
    buckets_ = gradient_buckets(bytes);
    if (costs.contention.measured) limits_ = limit_of(schedule, device).ops;
  }

  struct Result {
    double period_s = 0.0;         ///< from one step's end to the next one's
    double communication_s = 0.0;  ///< all-reduces by themselves
    double waited_s = 0.0;
    double slowdown = 1.0;             ///< kernels beside an all-reduce
    double all_reduce_slowdown = 1.0;  ///< all-reduces by those kernels
  };
  using AllReduceTime = std::function<double(double bytes)>;

  [[nodiscard]] Result run(const AllReduceTime& all_reduce_s, const Contention& contention) const {
    return Run(*this, &all_reduce_s, contention).result();
  }
  /// Period of the plain step.
  [[nodiscard]] double plain_period_s() const {
    return Run(*this, nullptr, Contention()).result().period_s;
  }
  [[nodiscard]] std::vector<double> bucket_bytes() const {
    std::vector<double> sums;
    for (const std::vector<std::size_t>& bucket : buckets_) {
      sums.push_back(0.0);
      for (const std::size_t i : bucket) sums.back() += gradients_[i].bytes;
    }
    return sums;
  }
  [[nodiscard]] bool empty() const { return gradients_.empty(); }

 private:
  class Run {
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

  const Schedule& schedule_;
  const StepTime& step_;
  const ExchangeCosts& costs_;
  std::vector<OpLimit> limits_;  ///< one for each op; empty where all kernels are slowed alike
  std::vector<GradientReady> gradients_;
  std::vector<std::vector<std::size_t>> buckets_;
};

DataParallelStep plain(const Schedule& schedule, const StepTime& step) {
  DataParallelStep scaled;
  scaled.batch_per_device = scaled.global_batch = schedule.graph.batch();
  scaled.time = scaled.compute = step.time;
  scaled.low = step.low;
  scaled.high = step.high;
  if (step.time.value > 0.0) {
    scaled.samples_per_s = static_cast<double>(scaled.global_batch) / step.time.value;
  }
  return scaled;
}

/// Either end errs as the step's does, and as the exchange.
void add_interval(DataParallelStep& scaled, const StepTime& step, double exchange_part) {
  if (step.low >= step.high) {  // a model without an interval
    scaled.low = scaled.high = scaled.time;
    return;
  }
  const double time = scaled.time.value;
  const double exchange = quantile_of_ninety_percent * exchange_part;
  const auto end = [&](double of_step) {
    return std::exp(std::hypot(std::log(of_step) * step.time.value / time, exchange));
  };
  scaled.low = Seconds{time / end(step.time.value / step.low.value)};
  scaled.high = Seconds{time * end(step.high.value / step.time.value)};
}

DataParallelStep exchanged(const Schedule& schedule, const StepTime& step,
                           const device::Device& device, const ExchangeCosts& costs,
                           const LinkModel& link, int devices, AllReduce algorithm) {
  const ExchangingStep plan(schedule, step, device, costs);
  if (plan.empty()) {
    if (schedule.phase == Phase::training) {
      throw Error(ErrorKind::usage, "the network has no parameters: no gradients are exchanged");
    }
    throw Error(ErrorKind::usage, "only training has gradients to exchange",
                "its phase is training");
  }
  const auto run = [&](double link_factor, const Contention& contention) {
    return plan.run(
        [&](double bytes) { return link_factor * link.all_reduce_s(bytes, devices, algorithm); },
        contention);
  };
  const double plain_period_s = plan.plain_period_s();
  const auto time_s = [&](const ExchangingStep::Result& result) {
    return step.time.value + std::max(0.0, result.period_s - plain_period_s);
  };
  const ExchangingStep::Result result = run(1.0, costs.contention);
  DataParallelStep scaled = plain(schedule, step);
  scaled.devices = devices;
  scaled.global_batch = checked_multiply(scaled.batch_per_device, devices);
  scaled.time = Seconds{time_s(result)};
  scaled.communication = Seconds{result.communication_s};
  scaled.hidden = Seconds{std::max(0.0, result.communication_s - result.waited_s)};
  scaled.slowdown = result.slowdown;
  scaled.all_reduce_slowdown = result.all_reduce_slowdown;
  scaled.bucket_bytes = plan.bucket_bytes();
  if (scaled.time.value > 0.0) {
    scaled.samples_per_s = static_cast<double>(scaled.global_batch) / scaled.time.value;
  }
  const double longer = std::exp(link.deviation(devices));
  const double link_part = 0.5 * std::log(time_s(run(longer, costs.contention)) /
                                          time_s(run(1.0 / longer, costs.contention)));
  const double contention_part =
      costs.contention.measured
          ? 0.0
          : 0.5 * std::log(time_s(run(1.0, costs.contention.times(unknown_contention))) /
                           time_s(run(1.0, costs.contention.times(1.0 / unknown_contention))));
  add_interval(scaled, step, std::hypot(link_part, contention_part));
  return scaled;
}

void check(int devices) {
  if (devices < 1) throw Error(ErrorKind::usage, "a step needs at least one device");
}

}  // namespace

namespace {

/// Memory of one device of several: the step's own, a bucket for every gradient, and the buffers
/// of the messages.
MemoryEstimate memory_of(const Schedule& schedule, LibraryMemory library,
                         const DataParallelStep& step, const LinkModel& link,
                         const device::Device& device) {
  const bool is_gpu = device.sm_count.has_value();
  if (step.devices > 1) {
    for (const double bytes : step.bucket_bytes) {
      library.buckets.emplace_back(static_cast<std::int64_t>(bytes));
    }
    if (is_gpu) library.communication = communication_memory(&link);
  }
  MemoryEstimate memory = estimate_memory(schedule, GradientReset::after_loss, &library);
  if (step.devices > 1 && !is_gpu) memory.unknown.emplace_back("buffers of the messages");
  return memory;
}

}  // namespace

DataParallelStep predict_data_parallel_step(const Schedule& schedule, const StepTime& step,
                                            const TimeModel& model, const LinkModel& link,
                                            int devices, AllReduce algorithm) {
  check(devices);
  DataParallelStep result;
  if (devices == 1) {
    result = plain(schedule, step);
  } else {
    const Contention contention = contention_on(model.target(), link, devices);
    const ExchangeCosts costs = costs_of(step, model, contention);
    result = exchanged(schedule, step, model.target(), costs, link, devices, algorithm);
  }
  result.memory =
      memory_of(schedule, library_memory(schedule, model), result, link, model.target());
  result.fit = fit(result.memory, model.target());
  return result;
}

DataParallelStep predict_data_parallel_step(const Schedule& schedule, const StepTime& step,
                                            const device::Device& device, const LinkModel& link,
                                            int devices, AllReduce algorithm) {
  check(devices);
  DataParallelStep result;
  if (devices == 1) {
    result = plain(schedule, step);
  } else {
    const ExchangeCosts costs = costs_of(device, contention_on(device, link, devices));
    result = exchanged(schedule, step, device, costs, link, devices, algorithm);
  }
  result.memory = memory_of(schedule, library_memory(device), result, link, device);
  result.fit = fit(result.memory, device);
  return result;
}

std::optional<StepTime> percent_of_peak_step(const Schedule& schedule, const device::Device& device,
                                             PercentOfPeak percent) {
  const NetworkLimit limit = limit_of(schedule, device, percent);
  if (!limit.time) return std::nullopt;
  StepTime step;
  double at = 0.0;
  for (const OpLimit& op : limit.ops) {
    OpTime time;
    time.start_s = at;
    time.device.time_s = op.time ? op.time->value : 0.0;
    if (time.device.time_s > 0.0) time.device.kind = "limit";
    at += time.device.time_s;
    time.end_s = at;
    step.ops.push_back(std::move(time));
  }
  step.time = step.device = step.low = step.high = Seconds{at};
  return step;
}

}  // namespace rooflab::predict
