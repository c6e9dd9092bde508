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
  double time_s = 0.0;     ///< sum of the messages, each running alone
  double deviation = 0.0;  ///< standard deviation of log(time)
};

/// Sets the times of the messages of a step; without a link they are left out.
[[nodiscard]] Exchange set_messages(const schedule::Schedule& schedule,
                                    const StepTimeOptions& options, std::vector<OpTime>& times);

/// Widens the interval of a step by the uncertainty of its messages.
void widen(StepTime& step, const StepQueues& queues, const Exchange& exchange,
           const Contention& contention);

/// Summary of the messages of a simulated step; `link`: nullptr: not known.
[[nodiscard]] Communication communication_of(const Exchange& exchange, const LinkModel* link,
                                             const StepQueues::Result& result);

/// Adds notes about the messages to the step's time.
void add_exchange_notes(const Communication& all, const TimeModel& model, const LinkModel* link,
                        StepTime& step);

}  // namespace rooflab::predict
