#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "contention.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// How many times as long as expected the host, the device and messages take, and the gap between
/// two ops.
struct Pace {
  double host = 1.0;
  double device = 1.0;
  double link = 1.0;
  double gap = 1.0;
  double wrapped_s = 0.0;  ///< what an operation that a wrapper takes apart costs the host, where
                           ///< issue costs lack it
};

/// Seconds that pass on the device between two ops, and from the issue of an op to its start.
struct QueueTimes {
  double gap_s = 0.0;
  double latency_s = 0.0;
};

/// The queues over the ops of a step, whose costs and times are known. The essays are at the heads
/// of step_time.cpp and step_queues.cpp.
class StepQueues {
 public:
  StepQueues(const schedule::Schedule& schedule, const std::vector<OpTime>& ops, QueueTimes times,
             double step_issue_s)
      : schedule_(schedule), ops_(ops), times_(times), step_issue_s_(step_issue_s) {}

  /// What messages and kernels cost each other; `limits`: one for each op, or empty where all
  /// kernels are slowed alike.
  void set(const Contention& contention, std::vector<OpLimit> limits = {}) {
    contention_ = contention;
    limits_ = std::move(limits);
  }

  /// One step, once each is as long as the one before.
  struct Result {
    double period_s = 0.0;  ///< from the end of one step to the end of the next
    double waited_s = 0.0;  ///< the device waited for messages
  };
  /// An op of the last step, from the end of the step before.
  using Ran = std::function<void(std::size_t op, double issued_s, double start_s, double end_s)>;
  [[nodiscard]] Result run(const Pace& pace, const Ran& ran = nullptr) const;
  [[nodiscard]] double period(const Pace& pace) const { return run(pace).period_s; }
  /// The same with other slowdowns.
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
