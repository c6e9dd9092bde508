#pragma once

#include <functional>
#include <span>
#include <unordered_set>

#include "rooflab/graph/graph.hpp"
#include "tensors.hpp"

namespace torch::autograd {
struct Node;
}

namespace rooflab::torch_worker {

/// Calls back around every function of the backward pass, with its graph node: autograd's nodes are
/// found from a graph node's outputs (everything that was recorded since the previous node). The
/// calls are on autograd's thread of the device.
class BackwardHooks {
 public:
  using Callback = std::function<void(graph::NodeId node)>;
  BackwardHooks(Callback before, Callback after)
      : before_(std::move(before)), after_(std::move(after)) {}

  /// Adds hooks to all functions behind `outputs` that have none yet. This object must outlive the
  /// backward pass.
  void attach(graph::NodeId node, std::span<const at::Tensor> outputs);

 private:
  void hook(torch::autograd::Node& function, graph::NodeId node) const;

  Callback before_;
  Callback after_;
  std::unordered_set<torch::autograd::Node*> seen_;
};

}  // namespace rooflab::torch_worker
