#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// One scheduled op in a predicted step.
struct OpTime {
  OpEstimate device;     ///< time 0 for views and ops inside another's call
  double issue_s = 0.0;  ///< the host's time to issue it
  double start_s = 0.0;  ///< on the device, from the step's beginning
  double end_s = 0.0;
};

/// All ops of one kind in a predicted step.
struct KindShare {
  std::string kind;
  std::string device;  ///< id of the measured device; empty for a roofline
  std::string origin;  ///< their publication; empty: `rooflab probe` made them
  std::size_t count = 0;
  double time_s = 0.0;
  double share = 0.0;      ///< share of the device's time
  double deviation = 0.0;  ///< sd of the logarithm of the sum: errors of one kind go together
  TimeSource source = TimeSource::measured_kind;
};
[[nodiscard]] std::span<const Field> fields_of(For<KindShare>);

/// The expected time of a step, with its uncertainty.
struct StepTime {
  Seconds time;  ///< expected median
  Seconds low;   ///< 90 % of cases lie between low and high
  Seconds high;
  Seconds device;          ///< the device's work and the gaps between ops, not waiting for the host
  Seconds host;            ///< the host's work without waiting for the device; 0 when not known
  double deviation = 0.0;  ///< sd of log(time)
  std::vector<OpTime> ops;       ///< one for each of schedule.ops
  std::vector<KindShare> kinds;  ///< largest first
  std::vector<Note> notes;

  [[nodiscard]] bool host_bound() const { return host > device; }
};
/// All but `deviation` and `ops`.
[[nodiscard]] std::span<const Field> fields_of(For<StepTime>);

[[nodiscard]] std::span<const Field> fields_of(For<StepTime>);

struct StepTimeOptions {
  const device::HostCosts* host = nullptr;  ///< nullptr: the host's part is left out
  double host_deviation = 0.0;              ///< sd of log(issue costs), beyond their own jitter
};

/// Predicts one step of a schedule as an eager framework runs it. The essay is at the head of
/// step_time.cpp.
[[nodiscard]] StepTime predict_step(const schedule::Schedule& schedule, const TimeModel& model,
                                    const StepTimeOptions& options = {});

}  // namespace rooflab::predict
