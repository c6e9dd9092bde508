#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "device_backend.hpp"
#include "executor.hpp"
#include "optimizer.hpp"
#include "rooflab/engine/case.hpp"

namespace rooflab::torch_worker {

/// Called at the end of each part of a step: `forward`, `loss`, `backward`, `optimizer`.
using PhaseListener = std::function<void(std::string_view phase)>;

/// One step of a case in its phase and precision, as often as wanted.
///
/// inference: evaluation mode, nothing recorded. forward: training mode, autograd keeps what a
/// backward pass would need; the outputs live until the step ends. training: forward, cross-entropy
/// of the main output with the labels, gradients dropped (set to none), backward, optimizer.
class Step {
 public:
  /// Makes the network's values on the backend's device. Throws Unsupported.
  Step(const engine::Case& request, DeviceBackend& backend);

  /// The outputs, detached; the main one first.
  std::vector<at::Tensor> run(const PhaseListener& at_end_of = {}, OpObserver* observer = nullptr);

  /// The next input and labels: images [N, C, H, W] in fp32, labels [N]; copied to the device.
  void set_batch(const at::Tensor& images, const at::Tensor& labels);

  /// The loss of the last training step; waits for the device.
  [[nodiscard]] double loss() const;

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }

 private:
  void make_labels(const at::Tensor& logits);
  [[nodiscard]] at::Tensor loss_of(const at::Tensor& logits) const;

  engine::Case request_;
  graph::Graph graph_;  ///< in its precision
  DeviceBackend& backend_;
  bool trains_;
  bool autocast_;
  std::vector<at::Tensor> values_;      ///< by ValueId
  std::vector<at::Tensor> parameters_;  ///< that require gradients
  at::Tensor labels_;
  at::Tensor last_loss_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace rooflab::torch_worker
