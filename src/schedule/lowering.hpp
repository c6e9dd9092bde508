#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "rooflab/schedule/schedule.hpp"

namespace rooflab::schedule {

inline constexpr TensorId no_tensor = -1;

/// State of one lowering: the schedule so far, the tensor of each value, the tensors that each node
/// saved for its backward, and the gradients that have arrived.
///
/// forward_rules.cpp emits the forward pass of a node, backward_rules.cpp its gradients.
class Lowering {
 public:
  Lowering(Schedule& schedule, const LoweringOptions& options);

  void lower_forward_pass();
  void lower_loss();
  /// Receives the gradients of a stage's results, which other stages compute.
  void take_gradients();
  void lower_backward_pass();
  /// Emits the optimizer; with loss scaling, gradients are unscaled before it, and the scale is
  /// updated after it.
  void lower_optimizer();
  /// Tensors that are still held at the end of the step.
  [[nodiscard]] const std::vector<TensorId>& unreleased() const { return unreleased_; }

  // ---- used by the rules of single ops
  // -----------------------------------------------------------

  [[nodiscard]] const graph::Graph& network() const { return schedule_.graph; }
  [[nodiscard]] const graph::Node& node(graph::NodeId id) const {
    return network().nodes[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] const Tensor& tensor(TensorId id) const { return schedule_.tensor(id); }
  [[nodiscard]] const graph::Shape& shape(TensorId id) const { return tensor(id).type.shape; }

  /// Tensor that holds a value now.
  [[nodiscard]] TensorId value(graph::ValueId id) const {
    return values_[static_cast<std::size_t>(id)];
  }
  void set_value(graph::ValueId id, TensorId tensor) {
    values_[static_cast<std::size_t>(id)] = tensor;
  }
  [[nodiscard]] bool needs_gradient(graph::ValueId id) const {
    return needs_gradient_[static_cast<std::size_t>(id)];
  }
  /// Whether autograd records this pass (phases forward and training).
  [[nodiscard]] bool records() const { return schedule_.phase != Phase::inference; }

  TensorId new_tensor(graph::TensorType type, Strides strides, Role role = Role::activation);
  TensorId new_contiguous(graph::TensorType type, Role role = Role::activation);
  /// Makes a view of a tensor's storage with another type and strides.
  TensorId alias(TensorId base, graph::TensorType type, Strides strides);

  ScheduledOp& emit(Work work, graph::NodeId node, std::vector<TensorId> reads,
                    std::vector<TensorId> writes);
  /// Sets the pass of the ops that are emitted next.
  void set_pass(Pass pass) { pass_ = pass; }

  /// Returns the tensor if it is contiguous, else a contiguous copy.
  TensorId contiguous(TensorId id, graph::NodeId node);
  /// Returns the tensor if it is in channels-last order, else a copy in that order.
  TensorId channels_last(TensorId id, graph::NodeId node);
  /// Whether a convolution runs in channels-last order, because its input or its weight has that
  /// order (never in fp64).
  [[nodiscard]] bool convolves_channels_last(const graph::Node& node) const;
  /// Strides of attention's [batch, heads, length, depth] with the heads inside the length.
  [[nodiscard]] static Strides heads_inside(const graph::Shape& shape);
  /// Strides of a sequence with the steps outermost: of [samples, steps, width] if batch_first,
  /// else of [steps, samples, width].
  [[nodiscard]] static Strides steps_outside(const graph::Shape& shape, bool batch_first);
  /// A sequence as a view [steps, samples, width], or a contiguous copy of it.
  TensorId steps_first(TensorId id, bool batch_first, graph::NodeId node);
  /// A view with another shape, of a contiguous copy if necessary.
  TensorId reshaped(TensorId id, const graph::Shape& shape, graph::NodeId node);
  TensorId cast(TensorId id, DType dtype, graph::NodeId node);

  /// Makes autograd keep a tensor for the node's backward, if this pass is recorded.
  void save(graph::NodeId node, TensorId id);
  [[nodiscard]] const std::vector<TensorId>& saved(graph::NodeId node) const {
    return saved_[static_cast<std::size_t>(node)];
  }

  /// Makes a dense tensor for the gradient of a value, laid out like the value.
  TensorId new_gradient(graph::ValueId id);
  /// Makes a dense tensor for the gradient of a value, with the given strides.
  TensorId new_gradient(graph::ValueId id, Strides strides);
  /// Adds a gradient to a value: reduced to the value's shape and type, and accumulated if there is
  /// one already. A parameter's gradient takes the parameter's layout.
  void give_gradient(graph::ValueId id, TensorId gradient, graph::NodeId node);
  [[nodiscard]] TensorId gradient(graph::ValueId id) const {
    return gradients_[static_cast<std::size_t>(id)];
  }

 private:
  struct TrainedParameters {
    std::vector<TensorId> values;
    std::vector<TensorId> gradients;
  };

  void create_value_tensors();
  void find_needed_gradients(const LoweringOptions& options);
  [[nodiscard]] bool runs(const graph::Node& node) const;
  /// The gradient with which the backward pass begins: a one, scaled as the loss is.
  [[nodiscard]] TensorId begin_backward(TensorId loss);
  TensorId as_parameter_gradient(graph::ValueId id, TensorId arriving, graph::NodeId node);
  void hold_gradient(graph::ValueId id, TensorId gradient);
  void disown_gradient(graph::ValueId id);
  /// Whether the storage has the gradient of only one value.
  [[nodiscard]] bool sole_owner(TensorId gradient) const;
  [[nodiscard]] bool has_owner(TensorId gradient) const;
  void lower_optimizer_step(const TrainedParameters& trained);

  // ---- loss scaling: grad_scaler_rules.cpp
  void scale_loss(TensorId loss);
  /// Emits the gradient of the loss from the initial gradient of the scaled loss.
  TensorId scale_gradient_of_loss(TensorId one);
  /// Unscales gradients in place; returns the flag that tells whether any was not finite.
  TensorId unscale_gradients(const std::vector<TensorId>& gradients);
  void update_loss_scale(TensorId found_inf);

  Schedule& schedule_;
  bool channels_last_;
  Pass pass_ = Pass::forward;
  std::vector<TensorId> values_;              ///< index: ValueId
  std::vector<bool> needs_gradient_;          ///< index: ValueId
  std::vector<std::vector<TensorId>> saved_;  ///< index: NodeId
  std::vector<TensorId> unreleased_;          ///< saved, but not released by a backward
  std::vector<TensorId> gradients_;           ///< index: ValueId
  std::vector<int> gradient_owners_;          ///< index: StorageId; number of gradients in it
  TensorId loss_scale_ = no_tensor;           ///< scale of loss scaling
  TensorId growth_tracker_ = no_tensor;       ///< no_tensor: this schedule has no loss
  /// Results and gradients with which the backward pass begins.
  std::vector<std::pair<graph::ValueId, TensorId>> arriving_;
};

/// Emits a node's ops in the forward pass, and saves the tensors that its backward needs.
void lower_forward(Lowering& lowering, graph::NodeId id);

/// Emits a node's gradients; the gradients of its outputs must have arrived.
void lower_backward(Lowering& lowering, graph::NodeId id);

}  // namespace rooflab::schedule
