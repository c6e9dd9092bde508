#pragma once

#include "rooflab/predict/time_model.hpp"
#include "step_queues.hpp"

/// The interval of a step; the essay is at the head of step_time.cpp.
namespace rooflab::predict {

/// Deviations of the logarithms of both paces.
struct PaceDeviation {
  double slow_host = 0.0;
  double fast_host = 0.0;
  double device = 0.0;
};

/// Sets the interval of a step whose ops are issued one by one.
void set_interval(StepTime& step, const StepQueues& queues, const PaceDeviation& deviation);

/// Sets the interval of a step that is replayed as a graph.
void set_interval_of_graph(StepTime& step, const StepQueues& queues, double device_deviation,
                           const GraphReplay::Cost& kernel, const GraphReplay::Cost& launch);

}  // namespace rooflab::predict
