#pragma once

#include <vector>

#include "lowering.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::schedule {

/// Lowers the gradients of one node, with a rule per op, in files by family. The essay is at the
/// head of backward_rules.cpp.
class BackwardRules {
 public:
  BackwardRules(Lowering& lowering, graph::NodeId id)
      : l_(lowering), id_(id), node_(lowering.node(id)), saved_(lowering.saved(id)) {}
  /// The rule of an op is a specialisation in the file of its family.
  template <class Struct>
  void operator()(const Struct& op) = delete;

 private:
  [[nodiscard]] TensorId arriving() const;
  /// Operands of a gradient op: a gradient, then everything that the forward pass saved.
  [[nodiscard]] std::vector<TensorId> with_saved(TensorId dy) const;
  [[nodiscard]] bool needed(std::size_t input) const;
  [[nodiscard]] bool is_parameter(std::size_t input) const;
  void give(std::size_t input, TensorId gradient);
  /// The gradient in the memory order of the node's result.
  [[nodiscard]] TensorId like_value(TensorId dy);
  /// Emits an elementwise gradient op; its result is dense, with the arriving gradient's shape.
  TensorId elementwise(std::vector<TensorId> reads);
  /// Emits an elementwise op on the arriving gradient and the saved tensors.
  void pointwise();
  /// Emits one op from the arriving gradient and the saved tensors to the first operand's gradient.
  void from_saved();
  void pooled(graph::PoolKind kind);
  /// Emits the gradient of a sum or a mean: the arriving one with extents of 1 repeated, divided
  /// for the mean.
  void spread(TensorId dy, bool divide);
  void data_gradient(std::vector<TensorId> reads, Strides strides);
  void weight_gradient(std::vector<TensorId> reads, Strides strides);
  void bias_gradient(TensorId dy);
  void product();
  /// Emits a normalisation's gradient op with contiguous operands and a contiguous gradient.
  void contiguous_normalisation();
  void normalisation(TensorId dy, std::optional<Strides> strides = std::nullopt);

  Lowering& l_;
  graph::NodeId id_;
  const graph::Node& node_;
  // A copy: rules emit tensors while they read it.
  std::vector<TensorId> saved_;
};

// Functions that lower one node, by the family of its op.
void lower_matrix_backward(Lowering& lowering, graph::NodeId id);
/// Lowers gradients of normalisation and elementwise ops.
void lower_layer_backward(Lowering& lowering, graph::NodeId id);
/// Lowers gradients of pooling, reductions, movement and unknown ops.
void lower_movement_backward(Lowering& lowering, graph::NodeId id);

}  // namespace rooflab::schedule
