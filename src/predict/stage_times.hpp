#pragma once

#include <cstdint>
#include <vector>

#include "rooflab/base/figure_key.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/schedule/schedule.hpp"

/// What ranges of nodes take: time on a device, and bytes over their borders.
namespace rooflab::predict {

/// Times of one device by node of the network, summed from the first node on.
struct NodeTimes {
  std::vector<double> forward;   ///< [i]: of all nodes before i
  std::vector<double> backward;  ///< likewise
  double loss = 0.0;
  double optimizer = 0.0;  ///< optimizer's time for all parameters

  [[nodiscard]] double forward_of(graph::NodeId begin, graph::NodeId end) const {
    return forward[static_cast<std::size_t>(end)] - forward[static_cast<std::size_t>(begin)];
  }
  [[nodiscard]] double backward_of(graph::NodeId begin, graph::NodeId end) const {
    return backward[static_cast<std::size_t>(end)] - backward[static_cast<std::size_t>(begin)];
  }
};

/// `schedule` is the network lowered, `op_times` of its ops. A cast that the precision put in
/// belongs to the node that it was put before.
[[nodiscard]] NodeTimes node_times(const graph::Graph& network, const schedule::Schedule& schedule,
                                   const std::vector<double>& op_times);

/// What crosses the borders of ranges of nodes, in the types that the precision gives the values.
/// Fast for ranges that begin at one node, asked for one after another.
class Crossings {
 public:
  Crossings(const graph::Graph& network, const schedule::Schedule& schedule);

  /// Bytes of values computed before `begin` and read in the range.
  [[nodiscard]] Bytes received(graph::NodeId begin, graph::NodeId end) {
    return sweep(begin).received[static_cast<std::size_t>(end)];
  }
  /// Bytes of floating values computed in the range and read behind it: their gradients come back.
  [[nodiscard]] Bytes returned(graph::NodeId begin, graph::NodeId end) {
    return sweep(begin).returned[static_cast<std::size_t>(end)];
  }

  /// Whether anything computed in the range is needed behind it: else it is not a stage.
  [[nodiscard]] bool is_needed(graph::NodeId begin, graph::NodeId end) {
    return sweep(begin).needed[static_cast<std::size_t>(end)] > 0;
  }

 private:
  struct Sweep {
    graph::NodeId begin = -1;
    std::vector<int> needed;      ///< index: end; values that are read behind it
    std::vector<Bytes> received;  ///< index: end
    std::vector<Bytes> returned;
  };
  const Sweep& sweep(graph::NodeId begin);

  const graph::Graph& network_;
  std::vector<Bytes> bytes_;                            ///< index: ValueId
  std::vector<graph::NodeId> last_reader_;              ///< index: ValueId; -1: none
  std::vector<bool> is_output_;                         ///< outputs of the network; index: ValueId
  std::vector<std::vector<graph::ValueId>> read_last_;  ///< index: node
  Sweep last_;
};

}  // namespace rooflab::predict
