#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "rooflab/schedule/schedule.hpp"

namespace rooflab::schedule {

inline constexpr TensorId no_tensor = -1;

/// The state of one lowering: the schedule so far, which tensor holds each value, what each node
/// saved for its backward, and the gradients that have arrived.
///
/// forward_rules.cpp emits the forward pass of a node, backward_rules.cpp its gradients.
class Lowering {
 public:
  Lowering(Schedule& schedule, const LoweringOptions& options);

  void lower_forward_pass();
  void lower_loss();
  /// Takes the gradients of a stage's results, which other stages compute.
  void take_gradients();
  void lower_backward_pass();
  /// With loss scaling the gradients are unscaled before, and the scale is updated after it.
  void lower_optimizer();
  /// What is still held when the step ends.
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
  /// Autograd records this pass (phases forward and training).
  [[nodiscard]] bool records() const { return schedule_.phase != Phase::inference; }

  TensorId new_tensor(graph::TensorType type, Strides strides, Role role = Role::activation);
  TensorId new_contiguous(graph::TensorType type, Role role = Role::activation);
  /// The same storage seen with another type and strides.
  TensorId alias(TensorId base, graph::TensorType type, Strides strides);

  ScheduledOp& emit(Work work, graph::NodeId node, std::vector<TensorId> reads,
                    std::vector<TensorId> writes);
  /// Pass of the ops that are emitted from now on.
  void set_pass(Pass pass) { pass_ = pass; }

  /// The tensor itself when it is contiguous, else a contiguous copy of it.
  TensorId contiguous(TensorId id, graph::NodeId node);
  /// Likewise in channels-last order.
  TensorId channels_last(TensorId id, graph::NodeId node);
  /// A convolution runs in channels-last order: its input or its weight lies so (never in fp64).
  [[nodiscard]] bool convolves_channels_last(const graph::Node& node) const;
  /// Strides of attention's [batch, heads, length, depth] with the heads inside the length.
  [[nodiscard]] static Strides heads_inside(const graph::Shape& shape);
  /// Strides of a sequence with the steps outermost: of [samples, steps, width] if batch_first,
  /// else of [steps, samples, width].
  [[nodiscard]] static Strides steps_outside(const graph::Shape& shape, bool batch_first);
  /// Such a sequence seen as [steps, samples, width], or a contiguous copy of that.
  TensorId steps_first(TensorId id, bool batch_first, graph::NodeId node);
  /// A view with another shape, or that view of a contiguous copy.
  TensorId reshaped(TensorId id, const graph::Shape& shape, graph::NodeId node);
  TensorId cast(TensorId id, DType dtype, graph::NodeId node);

  /// Autograd keeps a tensor for the node's backward. Nothing is kept when nothing is recorded.
  void save(graph::NodeId node, TensorId id);
  [[nodiscard]] const std::vector<TensorId>& saved(graph::NodeId node) const {
    return saved_[static_cast<std::size_t>(node)];
  }

  /// A new dense tensor for the gradient of a value, laid out as the value is.
  TensorId new_gradient(graph::ValueId id);
  /// Likewise with the given strides.
  TensorId new_gradient(graph::ValueId id, Strides strides);
  /// Hands a gradient to a value: kept, reduced to its shape and type, or added to what is there.
  /// A parameter's gradient takes the parameter's layout.
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
  /// Only one value's gradient lies in the storage.
  [[nodiscard]] bool sole_owner(TensorId gradient) const;
  [[nodiscard]] bool has_owner(TensorId gradient) const;
  void lower_optimizer_step(const TrainedParameters& trained);

  // ---- loss scaling: grad_scaler_rules.cpp
  void scale_loss(TensorId loss);
  /// The gradient of the loss itself, from the one that the scaled loss begins with.
  TensorId scale_gradient_of_loss(TensorId one);
  /// In place; the flag that says whether any of them was not finite.
  TensorId unscale_gradients(const std::vector<TensorId>& gradients);
  void update_loss_scale(TensorId found_inf);

  Schedule& schedule_;
  bool channels_last_;
  Pass pass_ = Pass::forward;
  std::vector<TensorId> values_;              ///< index: ValueId
  std::vector<bool> needs_gradient_;          ///< index: ValueId
  std::vector<std::vector<TensorId>> saved_;  ///< index: NodeId
  std::vector<TensorId> unreleased_;          ///< saved, and no backward lets go of them
  std::vector<TensorId> gradients_;           ///< index: ValueId
  std::vector<int> gradient_owners_;          ///< index: StorageId; values whose gradient is there
  TensorId loss_scale_ = no_tensor;           ///< scale of loss scaling
  TensorId growth_tracker_ = no_tensor;       ///< where this schedule has the loss
  /// What the backward pass begins with: results and their gradients.
  std::vector<std::pair<graph::ValueId, TensorId>> arriving_;
};

/// Emits what a node runs in the forward pass and saves what its backward needs.
void lower_forward(Lowering& lowering, graph::NodeId id);

/// Emits a node's gradients; gradients of its outputs have arrived.
void lower_backward(Lowering& lowering, graph::NodeId id);

}  // namespace rooflab::schedule
