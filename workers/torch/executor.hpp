#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "operations.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::torch_worker {

/// Listens while a graph runs: timing now, counters later. Calls come in the order of execution.
class OpObserver {
 public:
  virtual ~OpObserver() = default;
  virtual void begin(graph::NodeId node) = 0;
  /// `outputs` as computed; what autograd recorded for the node hangs on them.
  virtual void end(graph::NodeId node, std::span<const at::Tensor> outputs) = 0;
};

/// Runs a graph, node by node. The values that are not results (parameters, buffers, constants) are
/// the caller's; intermediate results are dropped where a framework's modules drop them.
class Executor {
 public:
  /// `graph` must outlive this. Throws Unsupported, naming all of them, when it has ops without an
  /// execution.
  Executor(const graph::Graph& graph, Mode mode, at::Device device);

  /// `values` by ValueId, defined for all but results; inputs included. The graph's outputs, the
  /// main one first, then in training what side paths return.
  [[nodiscard]] std::vector<at::Tensor> run(const std::vector<at::Tensor>& values,
                                            OpObserver* observer = nullptr);

 private:
  void run_node(std::size_t index, std::vector<at::Tensor>& slots, OpObserver* observer);
  static void run_module(const graph::AttentionModule& module, std::vector<at::Tensor>& slots,
                         OpObserver* observer);

  const graph::Graph& graph_;
  Mode mode_;
  std::vector<bool> runs_;                            ///< index: node; whether it runs on its own
  std::vector<std::vector<graph::ValueId>> dropped_;  ///< after each node
  std::map<graph::NodeId, graph::AttentionModule> modules_;  ///< keys: their first node
  std::vector<graph::ValueId> returned_;
  std::vector<at::Tensor> batches_seen_;  ///< index: node; batch norms count batches in training
};

}  // namespace rooflab::torch_worker
