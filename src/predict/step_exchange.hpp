#pragma once

#include <cstdint>
#include <vector>

#include "contention.hpp"
#include "rooflab/predict/time_model.hpp"
#include "step_queues.hpp"

namespace rooflab::predict {

/// The messages of a step.
struct Exchange {
  int ranks = 1;  ///< devices in the largest group
  std::int64_t messages = 0;
  Bytes bytes;
  double time_s = 0.0;     ///< each by itself, summed
  double deviation = 0.0;  ///< sd of the logarithm of their times
};

/// Sets the times of the messages of a step; without a link they are left out.
[[nodiscard]] Exchange set_messages(const schedule::Schedule& schedule,
                                    const StepTimeOptions& options, std::vector<OpTime>& times);

/// Widens the interval of a step whose messages err too.
void widen(StepTime& step, const StepQueues& queues, const Exchange& exchange,
           const Contention& contention);

/// What becomes of the messages beside the kernels; `link`: nullptr where it is not known.
[[nodiscard]] Communication communication_of(const Exchange& exchange, const LinkModel* link,
                                             const StepQueues::Result& result);

/// Says what a reader of the step's time must know of them.
void add_exchange_notes(const Communication& all, const TimeModel& model, const LinkModel* link,
                        StepTime& step);

}  // namespace rooflab::predict
