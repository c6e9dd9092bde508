#pragma once

#include <cstdint>
#include <vector>

#include "rooflab/base/quantity.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/schedule/schedule.hpp"

/// Costs of ranges of nodes: time on a device, and bytes over their borders.
namespace rooflab::predict {

/// Times on one device by node of the network, summed from the first node on.
struct NodeTimes {
  std::vector<double> forward;   ///< [i]: of all nodes before i
  std::vector<double> backward;  ///< [i]: of all nodes before i
  double loss = 0.0;
  double optimizer = 0.0;  ///< optimizer's time for all parameters

  [[nodiscard]] double forward_of(graph::NodeId begin, graph::NodeId end) const {
    return forward[static_cast<std::size_t>(end)] - forward[static_cast<std::size_t>(begin)];
  }
  [[nodiscard]] double backward_of(graph::NodeId begin, graph::NodeId end) const {
    return backward[static_cast<std::size_t>(end)] - backward[static_cast<std::size_t>(begin)];
  }
};

/// Times by node. `schedule`: the lowered network; `op_times`: times of its ops. A cast that the
/// precision inserted belongs to the node after it.
[[nodiscard]] NodeTimes node_times(const graph::Graph& network, const schedule::Schedule& schedule,
                                   const std::vector<double>& op_times);

/// Data that cross the borders of ranges of nodes, in the types of the precision. Fast for
/// consecutive queries of ranges that begin at one node.
class Crossings {
 public:
  /// `borders`: nodes at which ranges may begin and end, rising from 0 to the number of nodes. The
  /// nodes between two borders are one piece; fewer pieces make queries faster.
  Crossings(const graph::Graph& network, const schedule::Schedule& schedule,
            const std::vector<graph::NodeId>& borders);

  /// Bytes of values computed before `begin` and read in the range.
  [[nodiscard]] Bytes received(graph::NodeId begin, graph::NodeId end) {
    return sweep(begin).received[piece_at(end)];
  }
  /// Bytes of floating values computed in the range and read after it: their gradients come back.
  [[nodiscard]] Bytes returned(graph::NodeId begin, graph::NodeId end) {
    return sweep(begin).returned[piece_at(end)];
  }

  /// Whether anything computed in the range is needed after it; otherwise it is not a stage.
  [[nodiscard]] bool is_needed(graph::NodeId begin, graph::NodeId end) {
    return sweep(begin).needed[piece_at(end)] > 0;
  }

 private:
  /// A value that a node computes and another piece or the network's caller reads.
  struct Crossing {
    Bytes bytes;
    std::size_t made_in = 0;    ///< piece that makes it
    std::size_t last_read = 0;  ///< last piece that reads it; `made_in`: no later one
    bool is_output = false;
    bool is_floating = false;
    std::size_t seen_in = 0;  ///< last sweep that found a reader
  };
  struct Piece {
    std::vector<std::size_t> makes;  ///< crossings made in the piece
    std::vector<std::size_t> reads;  ///< distinct crossings from earlier pieces
    std::vector<std::size_t> reads_last;
  };
  struct Sweep {
    graph::NodeId begin = -1;
    std::vector<int> needed;      ///< index: end; number of values read after it
    std::vector<Bytes> received;  ///< index: end
    std::vector<Bytes> returned;
  };
  const Sweep& sweep(graph::NodeId begin);
  [[nodiscard]] std::size_t piece_at(graph::NodeId border) const {
    return pieces_at_[static_cast<std::size_t>(border)];
  }

  std::vector<std::size_t> pieces_at_;  ///< index: NodeId; piece that contains the node
  std::vector<Crossing> crossings_;
  std::vector<Piece> pieces_;
  Sweep last_;
  std::size_t sweeps_ = 0;
};

/// Bytes that cross each border: values that a node before it computes and a later one reads.
/// Index: the node after the border.
[[nodiscard]] std::vector<Bytes> bytes_over_borders(const graph::Graph& network);

}  // namespace rooflab::predict
