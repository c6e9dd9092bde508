#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "device_backend.hpp"
#include "executor.hpp"
#include "grad_scaler.hpp"
#include "optimizer.hpp"
#include "rooflab/engine/case.hpp"

namespace rooflab::torch_worker {

/// Called at the end of each part of a step: `forward`, `loss`, `backward`, and `optimizer` where
/// there is one.
using PhaseListener = std::function<void(std::string_view phase)>;

/// What a step does about the gradients of other ranks.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;
  virtual void before_forward() = 0;
  virtual void before_backward() = 0;
};

/// One step of a case in its phase and precision, as often as wanted.
///
/// inference: evaluation mode, nothing recorded. forward: training mode, autograd keeps what a
/// backward pass would need; the outputs live until the step ends. training: forward, cross-entropy
/// of the main output with the labels, gradients dropped (set to none), backward, optimizer; in
/// amp-fp16 with the loss scaled.
class Step {
 public:
  /// Makes the network's values on the backend's device. Throws Unsupported.
  Step(const engine::Case& request, DeviceBackend& backend, const OptimizerOptions& options = {});

  /// The outputs, detached; the main one first.
  std::vector<at::Tensor> run(const PhaseListener& at_end_of = {}, OpObserver* observer = nullptr);

  /// The next input and labels: images [N, C, H, W] in fp32, labels [N]; copied to the device.
  /// `pinned`: they lie in pinned memory, so that the host need not wait for the copies.
  void set_batch(const at::Tensor& images, const at::Tensor& labels, bool pinned = false);

  /// From the next step on; nullptr: none. Must outlive the steps.
  void exchange_through(GradientExchange* exchange) { exchange_ = exchange; }

  /// The outputs of the network as it is now, in evaluation mode and the case's precision; the main
  /// one first.
  [[nodiscard]] std::vector<at::Tensor> evaluate();

  /// Tensors by ValueId of graph(): parameters, buffers, constants, inputs; undefined for results.
  [[nodiscard]] const std::vector<at::Tensor>& values() const { return values_; }
  /// Those that require gradients, in the graph's order.
  [[nodiscard]] const std::vector<at::Tensor>& parameters() const { return parameters_; }
  [[nodiscard]] bool has_optimizer() const { return optimizer_ != nullptr; }
  [[nodiscard]] Optimizer& optimizer() { return *optimizer_; }  ///< where there is one
  [[nodiscard]] GradScaler& scaler() { return scaler_; }        ///< for training in amp-fp16
  void set_label_smoothing(double smoothing) { label_smoothing_ = smoothing; }
  /// Labels of the last batch, on the device.
  [[nodiscard]] const at::Tensor& labels() const { return labels_; }
  /// The loss of the last training step, on the device.
  [[nodiscard]] const at::Tensor& loss_tensor() const { return last_loss_; }

  /// The loss of the last training step; waits for the device.
  [[nodiscard]] double loss() const;

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }

 private:
  void update_parameters();
  void make_labels(const at::Tensor& logits);
  [[nodiscard]] at::Tensor loss_of(const at::Tensor& logits) const;

  engine::Case request_;
  graph::Graph graph_;  ///< in its precision
  DeviceBackend& backend_;
  bool trains_;
  std::optional<DType> autocast_;
  bool scales_loss_;
  std::vector<at::Tensor> values_;      ///< index: ValueId
  std::vector<at::Tensor> parameters_;  ///< that require gradients
  at::Tensor labels_;
  at::Tensor last_loss_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Executor> evaluator_;   ///< made when it is first asked for
  std::unique_ptr<Optimizer> optimizer_;  ///< nullptr: a step ends with the backward pass
  GradScaler scaler_;
  GradientExchange* exchange_ = nullptr;
  double label_smoothing_ = 0.0;
};

}  // namespace rooflab::torch_worker
