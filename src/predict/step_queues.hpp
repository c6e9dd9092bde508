#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "contention.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// Factors over the expected times of the host, the device and messages, and the gap between two
/// ops.
struct Pace {
  double host = 1.0;
  double device = 1.0;
  double link = 1.0;
  double gap = 1.0;
  double wrapped_s = 0.0;  ///< host cost of a wrapper's operation, for issue costs without it
};

/// Seconds on the device between two ops, and from the issue of an op to its start.
struct QueueTimes {
  double gap_s = 0.0;
  double latency_s = 0.0;
};

/// Simulates the queues for the ops of a step with known costs and times. The essays are at the
/// heads of step_time.cpp and step_queues.cpp.
class StepQueues {
 public:
  StepQueues(const schedule::Schedule& schedule, const std::vector<OpTime>& ops, QueueTimes times,
             double step_issue_s)
      : schedule_(schedule), ops_(ops), times_(times), step_issue_s_(step_issue_s) {}

  /// Sets the mutual slowdowns of messages and kernels; `limits`: one per op, or empty if all
  /// kernels are slowed alike.
  void set(const Contention& contention, std::vector<OpLimit> limits = {}) {
    contention_ = contention;
    limits_ = std::move(limits);
  }

  /// One step in the steady state.
  struct Result {
    double period_s = 0.0;  ///< from the end of one step to the end of the next
    double waited_s = 0.0;  ///< time in which the device waits for messages
  };
  /// Receives an op of the last step; times are from the end of the previous step.
  using Ran = std::function<void(std::size_t op, double issued_s, double start_s, double end_s)>;
  [[nodiscard]] Result run(const Pace& pace, const Ran& ran = nullptr) const;
  [[nodiscard]] double period(const Pace& pace) const { return run(pace).period_s; }
  /// Period of the steps with other slowdowns.
  [[nodiscard]] double period_with(const Contention& contention) const;

  [[nodiscard]] static bool runs_on_device(const OpTime& op) { return !op.device.kind.empty(); }

 private:
  class Run;

  const schedule::Schedule& schedule_;
  const std::vector<OpTime>& ops_;
  QueueTimes times_;
  double step_issue_s_;
  Contention contention_;
  std::vector<OpLimit> limits_;
};

}  // namespace rooflab::predict
