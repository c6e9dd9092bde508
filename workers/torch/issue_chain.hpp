#pragma once

#include <memory>
#include <vector>

#include "device_backend.hpp"
#include "engine/worker_probe.hpp"
#include "executor.hpp"
#include "op_bench.hpp"
#include "optimizer.hpp"

namespace rooflab::torch_worker {

/// Quantile of repeated times that is used as the host's cost: other work of the machine can only
/// add time.
inline constexpr double undisturbed = 0.1;

/// Measures the host time to issue the nodes of a graph, which must be so small that the device
/// always keeps up.
class IssueChain {
 public:
  /// `graph` must outlive this. Throws Unsupported, and exceptions of the framework.
  IssueChain(const engine::ProbeItem& item, const graph::Graph& graph, DeviceBackend& backend,
             OperandPool& pool);

  /// Runs the chain once, and with gradients the backward pass from its first output, each starting
  /// on an idle device. `counts`: false for a warm-up. Throws as the constructor.
  void run(bool counts = true);

  /// Result: forward_s per node until the last one is issued; issue_s for all nodes; with
  /// gradients, gradients_s per node until the device has finished the backward pass. Values are
  /// first deciles of the runs by the host's clock.
  [[nodiscard]] engine::ProbeResult result() const;
  /// Median of the runs' forward passes over that of result().
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

/// Measures a chain for a probe: the result of 11 runs after 3 warm-up runs. Throws as IssueChain.
[[nodiscard]] engine::ProbeResult measure_chain(const engine::ProbeItem& item,
                                                const graph::Graph& graph, OpBench& bench);

/// Makes the item's optimizer for the parameters of `graph`, with gradients. Throws Unsupported.
[[nodiscard]] std::unique_ptr<Optimizer> optimizer_of(const engine::ProbeItem& item,
                                                      const graph::Graph& graph, OperandPool& pool);

/// Measures a step of the item's optimizer for the parameters of `graph`: device time with cold
/// caches, and the host's time to issue it. Throws as measure_chain().
[[nodiscard]] engine::ProbeResult measure_optimizer(const engine::ProbeItem& item,
                                                    const graph::Graph& graph, OpBench& bench);

}  // namespace rooflab::torch_worker
