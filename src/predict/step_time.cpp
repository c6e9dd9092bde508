// The time of a step: two queues, the host's and the device's.
//
// The host issues op i at h_i = h_(i-1) + c_i, c_i what its class costs to issue; the device starts
// it at max(h_i + latency, end of op i-1 + gap) and takes its time. A program issues one step after
// another without waiting for the device, so the time of a step is that from the end of one to the
// end of the next, once that has settled. A step of many small ops then takes the host's time; in
// one of few large ops the host gets ahead of the device, which never idles. Where the host reads a
// result (found_inf of loss scaling) it issues nothing until the device has finished, and the
// device then idles until the next op has been issued: such a step takes more than either.
//
// The gap is `launch.gap`, the device's time for an empty kernel in a queued train: no two ops
// follow each other faster. Times of single ops are without it, since the marks around an op have
// the same gap and theirs is subtracted. A calibration without that figure (rooflab-probe was not
// there) has ops follow at once, a lower bound.
//
// What the host pays: a forward op once per node by class (with or without recording), views too; a
// node's backward once; a node's kernels after its first (bias, counters) a launch, unless the
// class was measured with all of them (slice, pad, roll, index, einsum, shift_mask); copies of
// operands a copy; what a tensor subclass took apart to get to the op (DTensor) the class `wrapped`
// each time; the optimizer by tensors; loss and step once; an op of loss scaling a launch; a module
// of modules a call in the forward pass where an op is the first in it, by the scopes of the nodes'
// names: `layer1.0.conv1` behind `maxpool` enters `layer1` and `layer1.0`, and `layer1.0.bn1`
// behind that nothing. Source of the form: prediction of launch-bound training as in "Habitat" (Yu
// et al., ATC 2021) and Daydream (Zhu et al., ATC 2020); costs are measured.
//
// A step that is replayed as a CUDA graph (graph_replay.cpp) pays one launch and issues no op: the
// device runs one kernel after another, each in its time by itself less what the shortest op takes
// by itself, and more by what that op takes in a graph. The host can read nothing within a graph.
// What it reads before the first kernel or behind the last is outside of it, and the host waits
// there.
//
// Interval. Two numbers err independently: the pace of the device (step_uncertainty.cpp says by how
// much) and the pace of the host. The step is simulated again with both slowed down, and with both
// sped up, along a quarter circle of 1.645 deviations; the slowest and the fastest of these steps
// are the ends of the interval. Where one queue is far behind, that is its own 90 %; where both are
// near, a slow host alone or a slow device alone makes the step longer, and only a fast host on a
// fast device makes it shorter. Source: the first-order reliability method of Hasofer and Lind, J.
// Eng. Mech. Div. ASCE 100, 1974. Issue costs are those of an undisturbed host, so their jitter
// counts upwards only. Of a graph the pace of the device, that op and the launch err independently:
// the step is simulated with each of them changed, and what that adds is summed as squares.

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "device_queue.hpp"
#include "device_times.hpp"
#include "issuer.hpp"
#include "notes/predict_notes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/predict/time_model.hpp"
#include "step_exchange.hpp"
#include "step_interval.hpp"
#include "step_kinds.hpp"
#include "step_queues.hpp"

namespace rooflab::predict {
namespace {

using schedule::Pass;
using schedule::Schedule;
using schedule::ScheduledOp;

constexpr double host_deviation = 0.15;
/// Plans of cuDNN: their costs were seen on few machines.
constexpr double plan_deviation = 0.4;

/// What the shortest op takes by itself: one number is written. Marks around an op cost that much
/// beyond what it works.
double shortest_op_s(const TimeModel& model) {
  return model.estimate({"fill", "forward", "f32", "", {1.0}}).time_s;
}

/// How many times as long the ops of a program take to issue as equal ops in a row.
double program_pace(const Schedule& schedule, const TimeModel& model,
                    const device::HostCosts* host) {
  const bool recorded = !schedule.lives.empty();
  if (!recorded || host == nullptr || host->issuer != "pytorch") return 1.0;
  return model.figure_or("issue.program", 1.0);
}

/// Where a calibration lacks the cost of operations that wrappers take apart: the most that one may
/// take. DTensor's in PyTorch 2.14 took 8 us without autograd and 120 us in a backward pass.
constexpr double most_wrapped_s = 120e-6;

/// Whether the step makes storages of a cache, as one does that grows token by token.
bool makes_cache(const Schedule& schedule) {
  for (std::size_t i = 0; i < schedule.lives.size(); ++i) {
    if (schedule.storages[i].role == schedule::Role::cache && !schedule.lives[i].before) {
      return true;
    }
  }
  return false;
}

/// Throws Error (usage) for a step that no graph can hold: the host reads a result within it.
void check_capturable(const Schedule& schedule, const std::vector<OpTime>& ops) {
  const auto on_device = [](const OpTime& op) { return StepQueues::runs_on_device(op); };
  const auto first = std::ranges::find_if(ops, on_device) - ops.begin();
  const auto last = ops.rend() - std::find_if(ops.rbegin(), ops.rend(), on_device) - 1;
  for (auto i = first; i < last; ++i) {
    const ScheduledOp& op = schedule.ops[static_cast<std::size_t>(i)];
    if (!op.host_waits()) continue;
    throw Error(ErrorKind::usage,
                format("no CUDA graph can hold this step: the host waits within it for '{}'",
                       schedule.name_of(op)),
                "take the read (.item(), a branch on a number) out of the step, or predict ops that"
                " are issued one by one");
  }
}

/// `shortest_s` is not in the time of an op of a graph.
OpTime op_time(const ScheduledOp& op, Issuer& issuer, DeviceTimes& times, double shortest_s) {
  OpTime time;
  time.issue_s = issuer.cost(op);
  if (std::optional<OpEstimate> estimate = times.time(op)) {
    time.device = *std::move(estimate);
    time.device.time_s = std::max(0.0, time.device.time_s - shortest_s);
  }
  return time;
}

/// Sets the host's deviations. Costs are those of an undisturbed host: its jitter only slows down.
void set_host(PaceDeviation& deviation, const device::HostCosts& costs, double own, double plans_s,
              double host_s) {
  deviation.fast_host =
      std::hypot(host_deviation, own, plan_deviation * plans_s / std::max(host_s, 1e-12));
  deviation.slow_host = std::hypot(deviation.fast_host, std::log(std::max(costs.jitter, 1.0)));
}

/// Times of the host and of the device: those of the ops, and the host's of a step.
void add_ops(const Schedule& schedule, double step_issue_s, StepTime& step) {
  step.host.value += step_issue_s;
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    const OpTime& op = step.ops[i];
    step.host.value += op.issue_s;
    if (is_of_device(schedule, step, i)) step.device.value += op.device.time_s + step.gap_s;
  }
}

}  // namespace

StepTime predict_step(const Schedule& schedule, const TimeModel& model,
                      const StepTimeOptions& options) {
  StepTime step;
  const FusedModules modules(schedule);
  const device::HostCosts* const costs = options.graph == nullptr ? options.host : nullptr;
  Issuer issuer(schedule, modules, costs,
                model.figure_or("launch.issue", fallback_launch_s) * options.host_slowness,
                program_pace(schedule, model, costs));
  DeviceTimes times(schedule, model, modules);
  const double shortest_s = options.graph != nullptr ? shortest_op_s(model) : 0.0;
  for (const ScheduledOp& op : schedule.ops) {
    step.ops.push_back(op_time(op, issuer, times, shortest_s));
  }

  const Exchange exchange = set_messages(schedule, options, step.ops);

  const std::size_t kernels =
      static_cast<std::size_t>(std::ranges::count_if(step.ops, &StepQueues::runs_on_device));
  GraphReplay::Cost launch;
  if (options.graph != nullptr) {
    check_capturable(schedule, step.ops);
    launch = options.graph->launch(kernels);
    step.notes = options.graph->notes(kernels);
    if (makes_cache(schedule)) step.notes.push_back({says.graph_needs_fixed_sizes});
    step.replayed = true;
  }
  const bool has_host = costs != nullptr || step.replayed;
  const double step_issue_s = costs != nullptr ? costs->step_s : launch.expected;
  const double gap =
      step.replayed ? options.graph->kernel.expected : model.figure_or("launch.gap", 0.0);
  step.gap_s = gap;
  StepQueues queues(schedule, step.ops, {gap, has_host ? fallback_latency_s : 0.0}, step_issue_s);
  Contention contention;
  if (exchange.time_s > 0.0) {
    contention = contention_on(model.target(), *options.link, exchange.ranks);
    queues.set(contention, contention.measured ? limit_of(schedule, model.target()).ops
                                               : std::vector<OpLimit>());
  }
  const StepQueues::Result result =
      queues.run({}, [&step](std::size_t i, double issued_s, double start_s, double end_s) {
        step.ops[i].issued_s = issued_s;
        step.ops[i].start_s = start_s;
        step.ops[i].end_s = end_s;
      });
  step.time = Seconds{result.period_s};
  if (exchange.messages > 0) step.communication = communication_of(exchange, options.link, result);
  add_ops(schedule, step_issue_s, step);

  PaceDeviation deviation;
  deviation.device =
      std::sqrt(device_variance(times.shapes(), step.device.value, model.target().id));
  if (costs != nullptr) {
    set_host(deviation, *costs, options.host_deviation, issuer.plans_s(), step.host.value);
  }
  if (step.replayed) {
    set_interval_of_graph(step, queues, deviation.device, options.graph->kernel, launch);
  } else {
    set_interval(step, queues, deviation);
  }
  if (exchange.time_s > 0.0) widen(step, queues, exchange, contention);
  summarise(schedule, step);
  add_kind_notes(schedule, model, times.shapes(), step);
  add_pauses(schedule, step, model, deviation.device);
  if (step.communication) add_exchange_notes(*step.communication, model, options.link, step);
  if (issuer.unknown_wrapped() > 0) {
    step.high = std::max(step.high, Seconds{queues.period({.wrapped_s = most_wrapped_s})});
    step.notes.push_back({says.wrapped_ops_unknown, {issuer.unknown_wrapped()}});
  }
  return step;
}

}  // namespace rooflab::predict
