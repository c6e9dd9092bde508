#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "operations.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::torch_worker {

/// Observer of a running graph, for timing and counters. Calls are in the order of execution.
class OpObserver {
 public:
  virtual ~OpObserver() = default;
  virtual void begin(graph::NodeId node) = 0;
  /// Called after a node. `outputs`: its results, which refer to autograd's functions of the node.
  virtual void end(graph::NodeId node, std::span<const at::Tensor> outputs) = 0;
};

/// Runs a graph, node by node. The caller owns values that are not results (parameters, buffers,
/// constants); intermediate results are dropped where a framework's modules drop them.
class Executor {
 public:
  /// `graph` must outlive this. Throws Unsupported that names all ops without an execution.
  Executor(const graph::Graph& graph, Mode mode, at::Device device);

  /// Runs the graph. `values`: by ValueId, defined for all except results, including inputs.
  /// Returns the graph's outputs, the main one first, then in training the results of side paths.
  [[nodiscard]] std::vector<at::Tensor> run(const std::vector<at::Tensor>& values,
                                            OpObserver* observer = nullptr);

 private:
  void run_node(std::size_t index, std::vector<at::Tensor>& slots, OpObserver* observer);
  static void run_module(const graph::AttentionModule& module, std::vector<at::Tensor>& slots,
                         OpObserver* observer);

  const graph::Graph& graph_;
  Mode mode_;
  std::vector<bool> runs_;                            ///< index: node; whether it runs separately
  std::vector<std::vector<graph::ValueId>> dropped_;  ///< values to drop after each node
  std::map<graph::NodeId, graph::AttentionModule> modules_;  ///< keys: first nodes
  std::vector<graph::ValueId> returned_;
  std::vector<at::Tensor> batches_seen_;  ///< index: node; batch norms count batches in training
};

}  // namespace rooflab::torch_worker
