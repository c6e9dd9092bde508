#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/link.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/step_time.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// Algorithm of the all-reduce; `automatic` is the faster of the two.
enum class AllReduce { automatic, ring, tree };
constexpr auto names_in_order(For<AllReduce>) {
  return names_through<AllReduce::tree>("automatic", "ring", "tree");
}

/// Time of one all-reduce, from measured times where the link was probed, else from bandwidth and
/// latency. The essay is at the head of all_reduce.cpp.
class LinkModel {
 public:
  explicit LinkModel(const device::Link& link);
  /// A link from measured times; throws Error (input) without times. `beside` is the datasheet's
  /// link, for what the times do not show; nullptr: the datasheet names none.
  explicit LinkModel(std::vector<device::LinkRow> rows, const device::Link* beside = nullptr);

  [[nodiscard]] double all_reduce_s(double bytes, int ranks,
                                    AllReduce algorithm = AllReduce::automatic) const;
  [[nodiscard]] double transfer_s(double bytes) const;  ///< from one device to another
  [[nodiscard]] bool measured() const { return !rows_.empty(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double bandwidth() const { return bandwidth_; }  ///< B/s, one direction
  [[nodiscard]] double latency_s() const { return latency_s_; }  ///< latency of one message
  /// sd of the logarithm of its times: measured times are surer than a datasheet.
  [[nodiscard]] double deviation() const { return measured() ? 0.10 : 0.25; }
  /// Multiprocessors that the collective library's kernels keep to themselves while they run.
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }

 private:
  std::string name_;
  double bandwidth_ = 0.0;
  double latency_s_ = 0.0;
  int multiprocessors_ = 0;
  std::vector<device::LinkRow> rows_;  ///< sorted by collective, ranks and bytes; times never fall
};

/// A predicted data-parallel training step.
struct DataParallelStep {
  int devices = 1;
  std::int64_t batch_per_device = 0;
  std::int64_t global_batch = 0;
  Seconds time;  ///< expected median
  Seconds low;   ///< 90 % of cases lie between low and high
  Seconds high;
  Seconds compute;        ///< the same step on one device without exchange
  Seconds communication;  ///< sum of the all-reduces, each by itself
  Seconds hidden;         ///< part of it behind the backward pass
  /// Slowdown of other kernels while an all-reduce runs: above 1 because it keeps multiprocessors.
  double slowdown = 1.0;
  std::vector<double> bucket_bytes;  ///< in the order of their exchange
  double samples_per_s = 0.0;        ///< sum over all devices
};

/// Buckets as PyTorch's Reducer makes them after its first step: parameters in the order in which
/// their gradients come, 1 MiB the first, 25 MiB the others. Given by parameter sizes in bytes.
[[nodiscard]] std::vector<std::vector<std::size_t>> gradient_buckets(
    const std::vector<double>& gradient_bytes);

/// A parameter's gradient, and the op that is the last to write it.
struct GradientReady {
  std::size_t op = 0;  ///< index into schedule.ops
  double bytes = 0.0;
};
/// All gradients that the optimizer reads, in the order in which they come.
[[nodiscard]] std::vector<GradientReady> gradients_of(const schedule::Schedule& schedule);

/// `step` is the prediction of `schedule` (phase training) on one device with its own batch. For
/// one device it is that prediction. Throws Error (usage) for no device and for a schedule without
/// an optimizer.
[[nodiscard]] DataParallelStep predict_data_parallel_step(
    const schedule::Schedule& schedule, const StepTime& step, const TimeModel& model,
    const LinkModel& link, int devices, AllReduce algorithm = AllReduce::automatic);

/// The same without a calibration: copies at the device's bandwidth.
[[nodiscard]] DataParallelStep predict_data_parallel_step(
    const schedule::Schedule& schedule, const StepTime& step, const device::Device& device,
    const LinkModel& link, int devices, AllReduce algorithm = AllReduce::automatic);

/// A step whose ops take their limits at a percent of the device's peaks, one after another
/// (PALEO's model); it has no interval. nullopt: an op has no rule, or the device lacks a figure.
[[nodiscard]] std::optional<StepTime> percent_of_peak_step(const schedule::Schedule& schedule,
                                                           const device::Device& device,
                                                           PercentOfPeak percent);

}  // namespace rooflab::predict
