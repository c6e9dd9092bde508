#include "step_interval.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "interval.hpp"

namespace rooflab::predict {

void set_interval(StepTime& step, const StepQueues& queues, const PaceDeviation& deviation) {
  constexpr int parts = 4;  // of the quarter circle
  step.low = step.high = step.time;
  for (int i = 0; i <= parts; ++i) {
    const double angle = 0.5 * std::numbers::pi * i / parts;
    const double host = quantile_of_ninety_percent * std::cos(angle);
    const double device = quantile_of_ninety_percent * std::sin(angle) * deviation.device;
    const double slow = queues.period({std::exp(host * deviation.slow_host), std::exp(device)});
    const double fast = queues.period({std::exp(-host * deviation.fast_host), std::exp(-device)});
    step.high = std::max(step.high, Seconds{slow});
    step.low = std::min(step.low, Seconds{fast});
  }
}

void set_interval_of_graph(StepTime& step, const StepQueues& queues, double device_deviation,
                           const GraphReplay::Cost& kernel, const GraphReplay::Cost& launch) {
  const auto ratio = [](double changed, double expected) {
    return expected > 0.0 ? changed / expected : 1.0;
  };
  const auto change = [&](const Pace& pace) { return queues.period(pace) - step.time.value; };
  const double device = std::exp(quantile_of_ninety_percent * device_deviation);
  const double slower =
      std::hypot(change({.device = device}), change({.gap = ratio(kernel.high, kernel.expected)}),
                 change({.host = ratio(launch.high, launch.expected)}));
  const double faster = std::hypot(change({.device = 1.0 / device}),
                                   change({.gap = ratio(kernel.low, kernel.expected)}),
                                   change({.host = ratio(launch.low, launch.expected)}));
  step.high = Seconds{step.time.value + slower};
  step.low = Seconds{step.time.value - faster};
}

}  // namespace rooflab::predict
