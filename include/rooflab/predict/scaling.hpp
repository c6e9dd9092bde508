#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/link_model.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// A device that may take a stage.
struct StageDevice {
  std::string name;
  Bytes memory;  ///< memory that a stage may take, context included
  /// Predicted seconds of each op of a schedule on it; they sum to the step's time.
  std::function<std::vector<double>(const schedule::Schedule&)> op_times;
  /// What libraries and driver add to the tensors. Empty: it is not known.
  std::function<LibraryMemory(const schedule::Schedule&)> library;
};

struct PartitionRequest {
  graph::Graph graph;  ///< in its fp32 form and full batch
  schedule::LoweringOptions lowering;
  std::vector<StageDevice> devices;  ///< one per stage, in the order of the stages
  device::Link link;                 ///< between any two of them
  int micro_batches = 1;             ///< must divide the batch
};

/// One stage of a plan. Times are for one micro-batch, both directions.
struct PlannedStage {
  std::string device;
  graph::NodeId begin = 0;  ///< first node
  graph::NodeId end = 0;    ///< the node after the last
  std::string first;        ///< their names
  std::string last;
  Seconds forward;    ///< the loss is the last stage's
  Seconds backward;   ///< training only
  Seconds optimizer;  ///< once per step
  Bytes received;     ///< activations from earlier stages
  Bytes returned;     ///< gradients from later stages (training)
  Seconds transfer;   ///< time of both over the link
  MemoryEstimate memory;
  Fit fit;

  /// Busy time of its device with a micro-batch.
  [[nodiscard]] Seconds time() const { return forward + backward + transfer; }
};

/// A network cut into stages.
struct PartitionPlan {
  std::vector<graph::NodeId> cuts;
  std::vector<PlannedStage> stages;
  int micro_batches = 1;
  std::int64_t micro_batch = 1;  ///< images in one
  Seconds sequential;            ///< the whole batch through all stages, one after another
  Seconds pipelined;             ///< micro-batches at once: all forward, then all backward
  double bubble = 0.0;           ///< (S - 1) / (M + S - 1): idle share of equal stages
  double idle = 0.0;             ///< idle share of these stages
};
/// The plan without its stages, which stand beside what was measured of them.
[[nodiscard]] std::span<const Field> fields_of(For<PartitionPlan>);

/// Result of planning.
struct PartitionOutcome {
  std::optional<PartitionPlan> plan;  ///< nullopt: no partition fits the devices' memory
  /// The smallest memory with which every device could take a stage, if nothing fits.
  std::optional<Bytes> least_memory;
  std::size_t possible_cuts = 0;    ///< places where the network can be cut
  std::size_t considered_cuts = 0;  ///< compared; fewer in networks of thousands of nodes
};

/// Cuts a network so that the longest stage is as short as it can be while every stage fits its
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
  Seconds time;  ///< expected median
  Seconds low;   ///< 90 % of cases lie between low and high
  Seconds high;
  Seconds compute;        ///< the same step on one device without exchange
  Seconds communication;  ///< sum of the all-reduces, each by itself
  Seconds hidden;         ///< part of it behind the backward pass
  /// Slowdown of the kernels that ran beside an all-reduce; 1 if none did.
  double slowdown = 1.0;
  double all_reduce_slowdown = 1.0;  ///< slowdown of the all-reduces by the kernels beside them
  std::vector<double> bucket_bytes;  ///< in the order of their exchange
  double samples_per_s = 0.0;        ///< sum over all devices
  /// Memory of one device: what a step of its batch takes alone, the buckets, and the buffers of
  /// the messages.
  MemoryEstimate memory;
  std::optional<Fit> fit;  ///< the verdict on it; nullopt: the device's memory is not known
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
/// The gradients of all trained parameters, in the order in which they come.
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
