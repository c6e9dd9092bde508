#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "rooflab/graph/graph.hpp"
#include "rooflab/predict/scaling.hpp"
#include "stage_times.hpp"

namespace rooflab::predict {

/// All that a plan asks about ranges of nodes.
class StagePlanner {
 public:
  /// `cuts`: those to choose from; nullopt: wherever the network can be cut.
  explicit StagePlanner(const PartitionRequest& request,
                        const std::optional<std::vector<graph::NodeId>>& cuts = std::nullopt);

  [[nodiscard]] std::size_t stages() const { return request_.devices.size(); }
  [[nodiscard]] const std::vector<graph::NodeId>& positions() const { return positions_; }
  [[nodiscard]] graph::NodeId end() const { return positions_.back(); }
  [[nodiscard]] std::size_t possible_cuts() const { return possible_cuts_.size(); }

  /// What a stage needs of its device: all that is expected, or what it cannot do without.
  [[nodiscard]] Bytes needs(const MemoryEstimate& memory) const;
  void take_what_may_run(bool may_run) { may_run_ = may_run; }

  /// Leaves fewer cuts to choose from, before the memory of many stages is asked for.
  void thin_for_memory();

  [[nodiscard]] Seconds transfer(graph::NodeId begin, graph::NodeId end);

  /// Time of a micro-batch.
  [[nodiscard]] double time(std::size_t stage, graph::NodeId begin, graph::NodeId end);

  [[nodiscard]] bool is_stage(graph::NodeId begin, graph::NodeId end) {
    return crossings_.is_needed(begin, end);
  }

  /// nullopt: the range is not a stage by itself.
  [[nodiscard]] const std::optional<MemoryEstimate>& memory(std::size_t device, graph::NodeId begin,
                                                            graph::NodeId end);

  [[nodiscard]] PartitionPlan plan(const std::vector<graph::NodeId>& cuts);

 private:
  static graph::Graph micro_network(const PartitionRequest& request);
  static std::vector<NodeTimes> times_of(const PartitionRequest& request,
                                         const graph::Graph& network,
                                         const schedule::Schedule& schedule);
  [[nodiscard]] std::vector<graph::NodeId> borders_at(const std::vector<graph::NodeId>& cuts) const;
  [[nodiscard]] Seconds transfer_of(Bytes bytes) const;
  [[nodiscard]] std::optional<MemoryEstimate> estimate(std::size_t device, graph::NodeId begin,
                                                       graph::NodeId end) const;

  /// What the other micro-batches hold while one runs.
  void hold_micro_batches(MemoryEstimate& memory) const;
  [[nodiscard]] PlannedStage stage(std::size_t s, graph::NodeId begin, graph::NodeId end);
  void add_step_times(PartitionPlan& plan, const std::vector<graph::NodeId>& borders) const;

  /// The whole batch at once: predicted separately, because its ops are larger.
  [[nodiscard]] double sequential_time(const PartitionPlan& plan,
                                       const std::vector<graph::NodeId>& borders) const;

  const PartitionRequest& request_;
  bool trains_;
  graph::Graph micro_;
  schedule::Schedule schedule_;
  std::vector<NodeTimes> times_;  ///< one for each device
  std::vector<graph::NodeId> possible_cuts_;
  /// Borders of stages: 0, the cuts to choose from, all nodes.
  std::vector<graph::NodeId> positions_;
  Crossings crossings_;
  bool may_run_ = false;
  std::map<std::tuple<std::size_t, graph::NodeId, graph::NodeId>, std::optional<MemoryEstimate>>
      memory_;
};

}  // namespace rooflab::predict
