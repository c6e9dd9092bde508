#pragma once

#include <functional>
#include <vector>

#include "contention.hpp"
#include "rooflab/predict/predicted_scaling.hpp"

namespace rooflab::predict {

/// What the parts of the exchange cost a device and its host.
struct ExchangeCosts {
  std::function<double(double bytes)> copy_s;
  double copy_issue_s = 0.0;
  double collective_issue_s = 0.0;
  double gap_s = 0.0;
  double latency_s = 0.0;
  Contention contention;
};

/// A step with the exchange of its gradients.
class ExchangingStep {
 public:
  ExchangingStep(const schedule::Schedule& schedule, const StepTime& step,
                 const device::Device& device, const ExchangeCosts& costs);

  struct Result {
    double period_s = 0.0;         ///< from one step's end to the next one's
    double communication_s = 0.0;  ///< all-reduces by themselves
    double waited_s = 0.0;
    double slowdown = 1.0;             ///< kernels during an all-reduce
    double all_reduce_slowdown = 1.0;  ///< all-reduces by those kernels
  };
  using AllReduceTime = std::function<double(double bytes)>;

  [[nodiscard]] Result run(const AllReduceTime& all_reduce_s, const Contention& contention) const;
  /// Period of the plain step.
  [[nodiscard]] double plain_period_s() const;
  [[nodiscard]] std::vector<double> bucket_bytes() const;
  [[nodiscard]] bool empty() const { return gradients_.empty(); }

 private:
  class Run;

  const schedule::Schedule& schedule_;
  const StepTime& step_;
  const ExchangeCosts& costs_;
  std::vector<OpLimit> limits_;  ///< one for each op; empty where all kernels are slowed alike
  std::vector<GradientReady> gradients_;
  std::vector<std::vector<std::size_t>> buckets_;
};

}  // namespace rooflab::predict
