#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/link_model.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// A device that may run a stage.
struct StageDevice {
  std::string name = {};
  Bytes memory = {};  ///< memory that a stage may take, context included
  /// Predicted seconds of each op of a schedule on the device; they sum to the step's time.
  std::function<std::vector<double>(const schedule::Schedule&)> op_times = {};
  /// Memory of libraries and driver in addition to the tensors. Empty function: not known.
  std::function<LibraryMemory(const schedule::Schedule&)> library = {};
};

struct PartitionRequest {
  graph::Graph graph = {};  ///< in its fp32 form and full batch
  schedule::LoweringOptions lowering = {};
  std::vector<StageDevice> devices = {};  ///< one per stage, in the order of the stages
  device::Link link = {};                 ///< link between any two devices
  int micro_batches = 1;                  ///< must divide the batch
};

/// One stage of a plan. Times are for one micro-batch, both directions.
struct PlannedStage {
  std::string device = {};
  graph::NodeId begin = 0;  ///< first node
  graph::NodeId end = 0;    ///< the node after the last
  std::string first = {};   ///< name of the first node
  std::string last = {};
  Seconds forward = {};    ///< including the loss in the last stage
  Seconds backward = {};   ///< training only
  Seconds optimizer = {};  ///< once per step
  Bytes received = {};     ///< activations from earlier stages
  Bytes returned = {};     ///< gradients from later stages (training)
  Seconds transfer = {};   ///< time of `received` and `returned` over the link
  MemoryEstimate memory = {};
  Fit fit = {};

  /// Busy time of the stage's device per micro-batch.
  [[nodiscard]] Seconds time() const { return forward + backward + transfer; }
};

/// A network cut into stages.
struct PartitionPlan {
  std::vector<graph::NodeId> cuts = {};
  std::vector<PlannedStage> stages = {};
  int micro_batches = 1;
  std::int64_t micro_batch = 1;  ///< images per micro-batch
  Seconds sequential = {};       ///< the whole batch through all stages, one after another
  Seconds pipelined = {};        ///< micro-batches at once: all forward, then all backward
  double bubble = 0.0;           ///< (S - 1) / (M + S - 1): idle share of equal stages
  double idle = 0.0;             ///< idle share of these stages
};
/// Fields in JSON, without the stages: these are written together with their measurements.
[[nodiscard]] std::span<const Field> fields_of(For<PartitionPlan>);

/// Result of planning.
struct PartitionOutcome {
  std::optional<PartitionPlan> plan = {};  ///< nullopt: no partition fits the devices' memory
  /// Smallest memory with which every device could run a stage; set if nothing fits.
  std::optional<Bytes> least_memory = {};
  std::size_t possible_cuts = 0;    ///< places where the network can be cut
  std::size_t considered_cuts = 0;  ///< cuts compared; fewer in networks of thousands of nodes
};

/// Cuts a network so that its longest stage is as short as possible and every stage fits on its
/// device. The essay is at the head of partition_plan.cpp.
///
/// Throws Error (usage) when the micro-batches do not divide the batch, or the network has fewer
/// possible cuts than the devices need.
[[nodiscard]] PartitionOutcome plan_partition(const PartitionRequest& request);

/// The plan for given cuts, whether it fits or not.
[[nodiscard]] PartitionPlan plan_for_cuts(const PartitionRequest& request,
                                          const std::vector<graph::NodeId>& cuts);

/// Time until S stages have run M micro-batches forward and then backward, each stage one at a time
/// and in order, with times by stage; nothing else overlaps.
[[nodiscard]] double pipeline_time(const std::vector<double>& forward_s,
                                   const std::vector<double>& backward_s, int micro_batches);

/// A predicted data-parallel training step.
struct DataParallelStep {
  int devices = 1;
  std::int64_t batch_per_device = 0;
  std::int64_t global_batch = 0;
  Seconds time = {};  ///< expected median
  Seconds low = {};   ///< 90 % of cases lie between low and high
  Seconds high = {};
  Seconds compute = {};        ///< the step on one device without exchange
  Seconds communication = {};  ///< sum of the all-reduces, each running alone
  Seconds hidden = {};         ///< part of `communication` that overlaps with the backward pass
  /// Slowdown of kernels that run during an all-reduce; 1 if none do.
  double slowdown = 1.0;
  double all_reduce_slowdown = 1.0;       ///< slowdown of all-reduces by concurrent kernels
  std::vector<double> bucket_bytes = {};  ///< in the order of their exchange
  double samples_per_s = 0.0;             ///< sum over all devices
  /// Memory of one device: a step of its batch, the buckets, and the message buffers.
  MemoryEstimate memory = {};
  std::optional<Fit> fit = {};  ///< verdict on `memory`; nullopt: the device's memory is not known
};

/// Buckets as PyTorch's Reducer makes them after its first step: parameters in the order in which
/// their gradients are ready, 1 MiB in the first bucket, 25 MiB in the others. Returns indices into
/// `gradient_bytes`.
[[nodiscard]] std::vector<std::vector<std::size_t>> gradient_buckets(
    const std::vector<double>& gradient_bytes);

/// A parameter's gradient and the last op that writes it.
struct GradientReady {
  std::size_t op = 0;  ///< index into schedule.ops
  double bytes = 0.0;
};
/// Gradients of all trained parameters, in the order in which they are ready.
[[nodiscard]] std::vector<GradientReady> gradients_of(const schedule::Schedule& schedule);

/// Predicts a data-parallel step from `step`, the prediction of `schedule` (phase training) on one
/// device with its own batch. For one device the result is `step`. Throws Error (usage) for no
/// device and for a schedule without an optimizer.
[[nodiscard]] DataParallelStep predict_data_parallel_step(
    const schedule::Schedule& schedule, const StepTime& step, const TimeModel& model,
    const LinkModel& link, int devices, AllReduce algorithm = AllReduce::automatic);

/// Predicts a data-parallel step without a calibration: copies run at the device's bandwidth.
/// Throws as the function above.
[[nodiscard]] DataParallelStep predict_data_parallel_step(
    const schedule::Schedule& schedule, const StepTime& step, const device::Device& device,
    const LinkModel& link, int devices, AllReduce algorithm = AllReduce::automatic);

/// Predicts a step by PALEO's model: the ops' limits at a percent of the device's peaks, one after
/// another, without an interval. nullopt: an op has no rule, or the device lacks a figure.
[[nodiscard]] std::optional<StepTime> percent_of_peak_step(const schedule::Schedule& schedule,
                                                           const device::Device& device,
                                                           PercentOfPeak percent);

}  // namespace rooflab::predict
