#pragma once

#include <memory>
#include <vector>

#include "device_backend.hpp"
#include "engine/probe.hpp"
#include "executor.hpp"
#include "op_bench.hpp"
#include "optimizer.hpp"

namespace rooflab::torch_worker {

/// The quantile of repeated times that is a host's cost: whatever else the machine does can only
/// add.
inline constexpr double undisturbed = 0.1;

/// What the host takes to issue the nodes of a graph, which must be so small that the device is
/// never behind.
class IssueChain {
 public:
  /// `graph` must outlive this. Throws Unsupported, and what the framework throws.
  IssueChain(const engine::ProbeItem& item, const graph::Graph& graph, DeviceBackend& backend,
             OperandPool& pool);

  /// Runs the chain once, and with gradients backward from its first output, the device idle before
  /// each. `counts`: else it is a warm-up. Throws as the constructor.
  void run(bool counts = true);

  /// forward_s: a node, until the last one is issued; issue_s: all of them; with gradients
  /// gradients_s: a node, until the device is done with the backward pass. First deciles of the
  /// runs by the host's clock.
  [[nodiscard]] engine::ProbeResult result() const;
  /// The median of the runs' forward passes over what result() says.
  [[nodiscard]] double jitter() const;

 private:
  const graph::Graph& graph_;
  bool gradients_;
  DeviceBackend& backend_;
  std::vector<at::Tensor> values_;
  Executor executor_;
  at::Tensor seed_;
  std::vector<double> forward_s_;
  std::vector<double> backward_s_;
};

/// The same for a probe: the result of 11 runs behind 3 of a warm-up. Throws as IssueChain.
[[nodiscard]] engine::ProbeResult measure_chain(const engine::ProbeItem& item,
                                                const graph::Graph& graph, OpBench& bench);

/// An optimizer over the parameters of `graph`, which have gradients. Throws Unsupported.
[[nodiscard]] std::unique_ptr<Optimizer> optimizer_of(const engine::ProbeItem& item,
                                                      const graph::Graph& graph, OperandPool& pool);

/// A step of the item's optimizer over the parameters of `graph`: device time, with nothing of them
/// in the caches, and the host's time to issue it. Throws as measure_chain().
[[nodiscard]] engine::ProbeResult measure_optimizer(const engine::ProbeItem& item,
                                                    const graph::Graph& graph, OpBench& bench);

}  // namespace rooflab::torch_worker
