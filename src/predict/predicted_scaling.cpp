// The time of a data-parallel training step.
//
// Every device runs the step on its batch; what is added is what PyTorch's
// DistributedDataParallel adds. The step's two queues (step_time.cpp) are run through again with
// it:
//
// - Before the forward pass buffers, where the network has any, are sent from the first device to
//   the others: of each type one concatenation, one broadcast, and a copy back for every buffer. A
//   broadcast counts as half of an all-reduce, which is one way there and one back.
// - When the last op of a gradient has run, a kernel copies it into its bucket, divided by n.
// - A bucket that is full (gradient_buckets.cpp) is all-reduced (all_reduce.cpp) as soon as the one
//   before it is done, during the backward pass.
// - After the backward pass, bucket by bucket, the device waits for the all-reduce and copies every
//   gradient back. Then the optimizer runs, if there is one.
//
// A copy reads and writes its bytes once and takes the device what the calibration's elementwise
// ops take, and the host what one issued from C++ takes. A call for a collective counts as five
// launches: the kernel, two events recorded, two streams made to wait.
//
// Contention. An all-reduce and other kernels slow each other while both run
// (exchange_queue.hpp). Where `rooflab probe --links` measured by how much, kernels whose roof is
// arithmetic take the figures of the product, all others those of the copy; the copies of gradients
// too. Else the all-reduce's kernels keep one multiprocessor for each channel to themselves, c of
// s, and the other kernels are slowed by s / (s - c). That holds for kernels that fill the device,
// by arithmetic; that those bound by memory suffer alike is an assumption, as is that the
// all-reduce itself is not slowed. Processors that are not GPUs are then not slowed: Gloo's threads
// are not known. Sources: github.com/NVIDIA/nccl/issues/689 (a channel has a multiprocessor that it
// does not share).
//
// Interval. The step's deviation, weighted by its share of the time, and the link's: the step is
// run through with all-reduces longer and shorter by one deviation, and half of the logarithm of
// the ratio is what the link contributes. Where nobody measured how all-reduces and kernels slow
// each other, it is also run through with both 18.9 % slower at the same time, and 18.9 % less
// slowed: the average seen elsewhere (of kernels during an exchange, on A100, H100, MI210 and
// MI250). Source: Lee et al., "Characterizing Compute-Communication Overlap in GPU-Accelerated
// Distributed Deep Learning", arXiv 2507.03114, 2025.
//
// Not here: waiting for a slower device (all are assumed to be alike), hosts with links of several
// speeds (name the slowest), gradients as views of buckets, the time that Python spends in the
// wrapper. Source: Li et al., "PyTorch Distributed", VLDB 2020; torch/csrc/distributed/c10d,
// reducer.cpp and comm.cpp; torch/nn/parallel/distributed.py, of PyTorch 2.11.

#include "rooflab/predict/predicted_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "contention.hpp"
#include "device_queue.hpp"
#include "exchanging_step.hpp"
#include "interval.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::predict {
namespace {

using schedule::Schedule;

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
