#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "rooflab/trace/trace_breakdown.hpp"
#include "trace_timeline.hpp"

namespace rooflab::trace {

/// Ops of every thread, nested in time, and the work that they launched. Not a public header. Tree
/// of ops. It refers to the timeline, which must outlive it.
class OperatorTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node none = std::numeric_limits<Node>::max();

  OperatorTree(const Timeline& timeline, TraceRule rule);

  /// Number of nodes, which are ordered by thread, with parents before their children.
  [[nodiscard]] std::size_t size() const { return range_.size(); }
  [[nodiscard]] std::uint32_t range(Node node) const { return range_[node]; }
  [[nodiscard]] Node parent(Node node) const { return parent_[node]; }
  /// Whether a node exists; false if it was dropped or merged into its parent.
  [[nodiscard]] bool alive(Node node) const { return alive_[node]; }
  /// Whether a node is a row of the table of operators: alive, and not a step, data loader,
  /// optimizer or similar.
  [[nodiscard]] bool is_operator(Node node) const;

  /// The innermost op of a call of the runtime, by the External id; none: not known.
  [[nodiscard]] Node of_call(std::uint32_t range) const;
  /// The op that launched the timeline's work of this number; none: not known.
  [[nodiscard]] Node of_work(std::size_t work) const;
  [[nodiscard]] bool operator_launched(std::size_t work) const;

 private:
  void nest();
  void merge_repeated();
  [[nodiscard]] Node of_external_id(std::int64_t id) const;
  [[nodiscard]] TimeInterval interval(Node node) const { return timeline_->range(range_[node]); }

  const Timeline* timeline_;
  TraceRule rule_;
  std::vector<std::uint32_t> range_;
  std::vector<Node> parent_;
  std::vector<Node> keeper_;  ///< node to which its launches are attributed; none: no node
  std::vector<bool> alive_;
  std::vector<Node> numbered_;  ///< nodes with an External id, sorted by it
};

}  // namespace rooflab::trace
