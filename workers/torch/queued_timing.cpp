// Device times of single calls.
//
// An op of a few microseconds takes the host longer to issue than the device to run. So the device
// is given something to do first (a delay that outlasts all issuing), and calls and marks queue up
// behind it: the marks then are as far apart as the work between them takes. Every call is
//
// 1. warmed up twice: the first call chooses algorithms and loads kernels; of the second one the
//    host's time, an estimate of the device's and the allocator's peak are taken;
// 2. repeated 3 times behind a delay of 1.5 x (host's time of all repetitions) + 0.5 ms. Calls over
//    200 ms run once;
// 3. repeated 7 times more if the quartiles of the first round lie apart by more than 5 % of the
//    median and a microsecond. Both rounds then count; medians that differ by more than 20 % are
//    told.
//
// The delay's clock is known roughly. If the device has left it when the host is done issuing, the
// round is thrown away and taken again behind a delay twice as long. What the marks themselves cost
// is measured once (time_between_marks) and subtracted. On a CPU, where calls return when their
// work is done, a delay is not needed, and repetitions end after about 0.1 s.
//
// Assumed: the device's clocks are up (a delay keeps it busy). What a call finds in the caches is
// what TimedCall::before leaves there, else what its last repetition left.

#include "queued_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "clock.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::torch_worker {
namespace {

/// Issues work behind a delay until the host was ahead of the device all along, then waits.
void queue_ahead(DeviceBackend& backend, double issue_s, const std::function<void()>& issue) {
  constexpr int most_attempts = 5;
  double delay_s = 1.5 * issue_s + 0.5e-3;
  for (int attempt = 0; attempt < most_attempts; ++attempt, delay_s *= 2.0) {
    const bool delayed = backend.delay(delay_s);
    const std::unique_ptr<Mark> delay_over = backend.mark();
    issue();
    const bool late = delayed && backend.reached(*delay_over);
    backend.synchronize();
    if (!late) return;
  }
  throw Unsupported{"the host cannot issue it ahead of the device; it may wait for the device"};
}

/// What the last warm-up told of a call.
struct Estimate {
  double device_s = 0.0;
  double host_s = 0.0;
};

void prepare(const TimedCall& call) {
  if (call.before) call.before();
}

std::vector<Estimate> warm_up(DeviceBackend& backend, std::span<TimedCall> calls) {
  struct Span {
    std::unique_ptr<Mark> begin;
    std::unique_ptr<Mark> end;
  };
  std::vector<Estimate> estimates(calls.size());
  std::vector<Span> spans(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (int j = 1; j < calls[i].warm_ups; ++j) calls[i].call();
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Clock::time_point start = Clock::now();
    prepare(calls[i]);
    const std::optional<Bytes> before = backend.allocator().allocated;
    backend.reset_peaks();
    spans[i].begin = backend.mark();
    calls[i].call();
    spans[i].end = backend.mark();
    estimates[i].host_s = seconds_since(start);
    const std::optional<Bytes> peak = backend.allocator().allocated_peak;
    if (before && peak) calls[i].peak_bytes = (*peak - *before).as_double();
  }
  backend.synchronize();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    estimates[i].device_s = backend.seconds_between(*spans[i].begin, *spans[i].end);
  }
  return estimates;
}

int repetitions_of(const Estimate& estimate, int most, bool on_cpu) {
  if (on_cpu) {
    return static_cast<int>(std::clamp(0.1 / std::max(estimate.device_s, 1e-9), 1.0, 1.0 * most));
  }
  if (estimate.device_s > 0.2) return 1;
  return estimate.device_s > 0.02 ? std::min(most, 3) : most;
}

/// A call and its remaining repetitions.
struct Turn {
  TimedCall* call = nullptr;
  Estimate estimate;
  int repetitions = 0;
};

void take_turns(DeviceBackend& backend, double mark_s, std::span<const Turn> turns) {
  struct Repetition {
    TimedCall* call = nullptr;
    double host_s = 0.0;
    std::unique_ptr<Mark> begin;
    std::unique_ptr<Mark> end;
  };
  double issue_s = 0.0;
  for (const Turn& turn : turns) issue_s += turn.repetitions * turn.estimate.host_s;
  std::vector<Repetition> queued;
  queue_ahead(backend, issue_s, [&] {
    queued.clear();
    for (const Turn& turn : turns) {
      for (int i = 0; i < turn.repetitions; ++i) {
        Repetition& repetition = queued.emplace_back();
        repetition.call = turn.call;
        prepare(*turn.call);
        repetition.begin = backend.mark();
        const Clock::time_point start = Clock::now();
        turn.call->call();
        repetition.host_s = seconds_since(start);
        repetition.end = backend.mark();
      }
    }
  });
  for (const Repetition& repetition : queued) {
    const double apart_s = backend.seconds_between(*repetition.begin, *repetition.end);
    repetition.call->device_s.push_back(std::max(0.0, apart_s - mark_s));
    repetition.call->host_s.push_back(repetition.host_s);
  }
}

bool is_steady(std::span<const double> samples) {
  const double apart = quantile(samples, 0.75) - quantile(samples, 0.25);
  return apart <= std::max(0.05 * quantile(samples, 0.5), 1e-6);
}

}  // namespace

double TimedCall::device_median_s() const { return quantile(device_s, 0.5); }
double TimedCall::host_median_s() const { return quantile(host_s, 0.5); }

double TimedCall::spread() const {
  const auto [least, most] = std::ranges::minmax(device_s);
  const double median = device_median_s();
  return median > 0.0 ? (most - least) / median : 0.0;
}

void time_calls(DeviceBackend& backend, double mark_s, std::span<TimedCall> calls) {
  constexpr int first_round = 3;
  constexpr int second_round = 7;
  constexpr double disagreement = 0.2;
  const bool on_cpu = backend.device().is_cpu();
  const std::vector<Estimate> estimates = warm_up(backend, calls);

  std::vector<Turn> turns;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    turns.push_back({&calls[i], estimates[i], repetitions_of(estimates[i], first_round, on_cpu)});
  }
  take_turns(backend, mark_s, turns);

  std::erase_if(turns, [](const Turn& turn) {
    return turn.repetitions == 1 || is_steady(turn.call->device_s);
  });
  if (turns.empty()) return;
  std::vector<double> first_medians;
  for (Turn& turn : turns) {
    first_medians.push_back(turn.call->device_median_s());
    turn.repetitions = repetitions_of(turn.estimate, second_round, on_cpu);
  }
  take_turns(backend, mark_s, turns);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    TimedCall& call = *turns[i].call;
    const std::span<const double> second =
        std::span(call.device_s).last(static_cast<std::size_t>(turns[i].repetitions));
    const double difference = std::abs(quantile(second, 0.5) - first_medians[i]);
    call.unsteady = difference > disagreement * first_medians[i];
  }
}

double time_between_marks(DeviceBackend& backend) {
  constexpr int intervals = 50;
  std::vector<std::unique_ptr<Mark>> marks;
  const auto issue = [&] {
    marks.clear();
    for (int i = 0; i <= intervals; ++i) marks.push_back(backend.mark());
  };
  issue();
  const double mark_issue_s = 20e-6;
  queue_ahead(backend, intervals * mark_issue_s, issue);
  std::vector<double> apart;
  for (std::size_t i = 0; i < intervals; ++i) {
    apart.push_back(backend.seconds_between(*marks[i], *marks[i + 1]));
  }
  return quantile(apart, 0.5);
}

}  // namespace rooflab::torch_worker
