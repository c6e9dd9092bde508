#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/device/link.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// A device that may take a stage.
struct StageDevice {
  std::string name;
  Bytes memory;  ///< memory that a stage may take, context included
  /// Predicted seconds of each op of a schedule on it; they sum to the step's time.
  std::function<std::vector<double>(const schedule::Schedule&)> op_times;
  /// What a calibration adds to the tensors; nullopt: unknown. May be empty.
  std::function<std::optional<LibraryMemory>(const schedule::Schedule&)> library;
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

}  // namespace rooflab::predict
