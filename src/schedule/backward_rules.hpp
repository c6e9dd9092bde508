#pragma once

#include <vector>

#include "lowering.hpp"

namespace rooflab::schedule {

/// The gradients of one node: a rule for each op, in files by family. The essay is at the head of
/// backward_rules.cpp.
class BackwardRules {
 public:
  BackwardRules(Lowering& lowering, graph::NodeId id)
      : l_(lowering), id_(id), node_(lowering.node(id)), saved_(lowering.saved(id)) {}
  void operator()(const graph::Conv&);
  void operator()(const graph::Linear&);
  void operator()(const graph::MatMul&);
  void operator()(const graph::Einsum&);
  void operator()(const graph::Attention&);
  void operator()(const graph::BatchNorm&);
  void operator()(const graph::LayerNorm&);
  void operator()(const graph::RmsNorm&);
  void operator()(const graph::GroupNorm&);
  void operator()(const graph::LocalResponseNorm&);
  void operator()(const graph::Unary&);
  void operator()(const graph::Binary& op);
  void operator()(const graph::Where&);
  void operator()(const graph::Softmax&);
  void operator()(const graph::Cast&);
  void operator()(const graph::Dropout&);
  void operator()(const graph::StochasticDepth&);
  void operator()(const graph::Pool& op);
  void operator()(const graph::AdaptivePool& op);
  void operator()(const graph::Reduce& op);
  void operator()(const graph::CumulativeSum&);
  void operator()(const graph::TopK&);
  void operator()(const graph::Reshape&);
  void operator()(const graph::Transpose& op);
  void operator()(const graph::Expand&);
  void operator()(const graph::Slice&);
  void operator()(const graph::Split&);
  void operator()(const graph::Concat&);
  void operator()(const graph::Gather&);
  void operator()(const graph::GatherElements&);
  void operator()(const graph::Contiguous&);
  void operator()(const graph::Pad&);
  void operator()(const graph::Scatter& op);
  void operator()(const graph::Resize&);
  void operator()(const graph::Roll& op);
  void operator()(const graph::Triangle&);
  void operator()(const graph::Generate&);
  void operator()(const graph::Opaque&);

 private:
  [[nodiscard]] TensorId arriving() const;
  /// What a gradient op reads: a gradient, then all that the forward pass saved.
  [[nodiscard]] std::vector<TensorId> with_saved(TensorId dy) const;
  [[nodiscard]] bool needed(std::size_t input) const;
  [[nodiscard]] bool is_parameter(std::size_t input) const;
  void give(std::size_t input, TensorId gradient);
  /// The gradient in the memory order of the node's result.
  [[nodiscard]] TensorId like_value(TensorId dy);
  /// dense result of an elementwise gradient op, with the arriving gradient's shape.
  TensorId elementwise(std::vector<TensorId> reads);
  /// Elementwise in the arriving gradient and what was saved.
  void pointwise();
  /// One op from the arriving gradient and the saved tensors to the first operand's gradient.
  void from_saved();
  void pooled(graph::PoolKind kind);
  /// Gradient of a sum or a mean: the arriving one, extents of 1 repeated, divided for the mean.
  void spread(TensorId dy, bool divide);
  void data_gradient(std::vector<TensorId> reads, Strides strides);
  void weight_gradient(std::vector<TensorId> reads, Strides strides);
  void bias_gradient(TensorId dy);
  void product();
  /// Works on contiguous operands and gives a contiguous gradient.
  void contiguous_normalisation();
  void normalisation(TensorId dy, std::optional<Strides> strides = std::nullopt);

  Lowering& l_;
  graph::NodeId id_;
  const graph::Node& node_;
  // A copy: rules emit tensors while they read it.
  std::vector<TensorId> saved_;
};

}  // namespace rooflab::schedule
