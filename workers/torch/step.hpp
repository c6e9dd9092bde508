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

/// Called at the end of each part of a step: `forward`, `loss`, `backward`, and `optimizer` if
/// there is one.
using PhaseListener = std::function<void(std::string_view phase)>;

/// Interface for exchanging a step's gradients with other ranks.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;
  virtual void before_forward() = 0;
  virtual void before_backward() = 0;
};

/// Runs steps of a case in its phase and precision.
///
/// inference: evaluation mode, nothing recorded. forward: training mode, autograd keeps what a
/// backward pass would need; the outputs live until the step ends. training: forward, cross-entropy
/// of the main output with the labels, gradients dropped (set to none), backward, optimizer; in
/// amp-fp16 with the loss scaled.
class Step {
 public:
  /// Makes the network's values on the backend's device. Throws Unsupported.
  Step(const engine::Case& request, DeviceBackend& backend, const OptimizerOptions& options = {});

  /// Runs a step and returns the detached outputs, the main one first.
  std::vector<at::Tensor> run(const PhaseListener& at_end_of = {}, OpObserver* observer = nullptr);

  /// Sets the next input and labels: images [N, C, H, W] in fp32, labels [N]; copied to the device.
  /// `pinned`: they are in pinned memory, so that the host does not wait for the copies.
  void set_batch(const at::Tensor& images, const at::Tensor& labels, bool pinned = false);

  /// Sets the exchange of gradients from the next step on; nullptr: none. It must outlive the
  /// steps.
  void exchange_through(GradientExchange* exchange) { exchange_ = exchange; }

  /// Outputs of the network with its current parameters, in evaluation mode and the case's
  /// precision; the main one first.
  [[nodiscard]] std::vector<at::Tensor> evaluate();

  /// Tensors by ValueId of graph(): parameters, buffers, constants, inputs; undefined for results.
  [[nodiscard]] const std::vector<at::Tensor>& values() const { return values_; }
  /// Parameters that require gradients, in the graph's order.
  [[nodiscard]] const std::vector<at::Tensor>& parameters() const { return parameters_; }
  [[nodiscard]] bool has_optimizer() const { return optimizer_ != nullptr; }
  [[nodiscard]] Optimizer& optimizer() { return *optimizer_; }  ///< only if there is one
  [[nodiscard]] GradScaler& scaler() { return scaler_; }        ///< only for training in amp-fp16
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
  graph::Graph graph_;  ///< in the case's precision
  DeviceBackend& backend_;
  bool trains_;
  std::optional<DType> autocast_;
  bool scales_loss_;
  std::vector<at::Tensor> values_;      ///< index: ValueId
  std::vector<at::Tensor> parameters_;  ///< parameters that require gradients
  at::Tensor labels_;
  at::Tensor last_loss_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Executor> evaluator_;   ///< made when it is first needed
  std::unique_ptr<Optimizer> optimizer_;  ///< nullptr: a step ends with the backward pass
  GradScaler scaler_;
  GradientExchange* exchange_ = nullptr;
  double label_smoothing_ = 0.0;
};

}  // namespace rooflab::torch_worker
