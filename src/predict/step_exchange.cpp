// The messages of a recorded step to other devices: their times, how much wider they make its
// interval, and how they and the kernels slow each other.

#include "step_exchange.hpp"

#include <algorithm>
#include <cmath>

#include "interval.hpp"
#include "notes/predict_notes.hpp"

namespace rooflab::predict {

Exchange set_messages(const schedule::Schedule& schedule, const StepTimeOptions& options,
                      std::vector<OpTime>& times) {
  Exchange all;
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    const auto* message = std::get_if<schedule::CollectiveWork>(&schedule.ops[i].work);
    if (message == nullptr || message->ranks < 2) continue;
    all.ranks = std::max(all.ranks, static_cast<int>(message->ranks));
    ++all.messages;
    const double bytes = message->bytes.as_double();
    all.bytes += message->bytes;
    if (options.link == nullptr) continue;
    OpEstimate& time = times[i].device;
    time.kind = name_of(message->collective);
    time.time_s =
        options.link->seconds(message->collective, bytes, message->ranks, options.all_reduce);
    time.deviation = options.link->deviation(message->ranks, message->collective);
    all.time_s += time.time_s;
    all.deviation += time.time_s * time.deviation;
  }
  if (all.time_s > 0.0) all.deviation /= all.time_s;
  return all;
}

void widen(StepTime& step, const StepQueues& queues, const Exchange& exchange,
           const Contention& contention) {
  const double longer = std::exp(exchange.deviation);
  const double link =
      0.5 * std::log(queues.period({.link = longer}) / queues.period({.link = 1.0 / longer}));
  const double beside =
      contention.measured
          ? 0.0
          : 0.5 * std::log(queues.period_with(contention.times(unknown_contention)) /
                           queues.period_with(contention.times(1.0 / unknown_contention)));
  const double more = quantile_of_ninety_percent * std::hypot(link, beside);
  const double time = step.time.value;
  step.low = Seconds{time * std::exp(-std::hypot(std::log(time / step.low.value), more))};
  step.high = Seconds{time * std::exp(std::hypot(std::log(step.high.value / time), more))};
}

Communication communication_of(const Exchange& exchange, const LinkModel* link,
                               const StepQueues::Result& result) {
  Communication all{exchange.messages, exchange.ranks, exchange.bytes, {}, {}};
  if (link == nullptr) return all;
  all.time = Seconds{exchange.time_s};
  all.hidden = Seconds{std::max(0.0, exchange.time_s - result.waited_s)};
  return all;
}

void add_exchange_notes(const Communication& all, const TimeModel& model, const LinkModel* link,
                        StepTime& step) {
  if (link == nullptr) {
    step.notes.push_back({says.exchange_without_link, {all.messages, model.target().name}});
    return;
  }
  step.notes.push_back({says.step_exchanges,
                        {all.messages, all.devices, all.bytes.as_double(), all.time->value,
                         all.hidden_share().value_or(0.0), link->name()}});
  for (Note& note : link->notes(all.devices)) step.notes.push_back(std::move(note));
}

std::optional<double> Communication::hidden_share() const {
  if (!time || time->value <= 0.0) return std::nullopt;
  return hidden->value / time->value;
}

}  // namespace rooflab::predict
