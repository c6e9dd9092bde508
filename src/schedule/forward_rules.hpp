#pragma once

#include <initializer_list>
#include <vector>

#include "lowering.hpp"

namespace rooflab::schedule {

/// What the forward pass of one node runs: a rule for each op, in files by family. The essay is at
/// the head of forward_rules.cpp.
class ForwardRules {
 public:
  ForwardRules(Lowering& lowering, graph::NodeId id)
      : l_(lowering), id_(id), node_(lowering.node(id)) {}
  void operator()(const graph::Conv& op);
  void operator()(const graph::Linear&);
  void operator()(const graph::MatMul&);
  void operator()(const graph::Einsum&);
  void operator()(const graph::Attention&);
  void operator()(const graph::BatchNorm&);
  void operator()(const graph::LayerNorm& op);
  void operator()(const graph::RmsNorm&);
  void operator()(const graph::GroupNorm& op);
  void operator()(const graph::LocalResponseNorm&);
  void operator()(const graph::Unary& op);
  void operator()(const graph::Binary& op);
  void operator()(const graph::Where&);
  void operator()(const graph::Softmax&);
  void operator()(const graph::Cast&);
  void operator()(const graph::Dropout& op);
  void operator()(const graph::StochasticDepth& op);
  void operator()(const graph::Pool& op);
  void operator()(const graph::AdaptivePool& op);
  void operator()(const graph::Reduce& op);
  void operator()(const graph::CumulativeSum&);
  void operator()(const graph::TopK&);
  void operator()(const graph::Reshape&);
  void operator()(const graph::Transpose& op);
  void operator()(const graph::Expand&);
  void operator()(const graph::Slice& op);
  void operator()(const graph::Split&);
  void operator()(const graph::Concat&);
  void operator()(const graph::Gather&);
  void operator()(const graph::GatherElements& op);
  void operator()(const graph::Contiguous&);
  void operator()(const graph::Pad&);
  void operator()(const graph::Scatter& op);
  void operator()(const graph::Resize&);
  void operator()(const graph::Roll& op);
  void operator()(const graph::Triangle&);
  void operator()(const graph::Generate&);
  void operator()(const graph::Opaque&);

 private:
  [[nodiscard]] TensorId in(std::size_t index) const;
  [[nodiscard]] const graph::TensorType& out_type() const;
  [[nodiscard]] bool differentiable() const;
  [[nodiscard]] std::vector<TensorId> all_inputs() const;
  void finish(TensorId result);
  void view(TensorId base, Strides strides);
  [[nodiscard]] Strides dense_like(std::initializer_list<TensorId> operands) const;
  /// One op from all inputs to the one output, laid out like the inputs where shapes allow.
  TensorId plain();
  [[nodiscard]] TensorId laid_out(TensorId id, bool last);
  /// An operand of a batched product: its leading dimensions must fold into one.
  [[nodiscard]] TensorId foldable(TensorId id);
  void keep_product_operands(TensorId a, TensorId b);
  [[nodiscard]] TensorId statistic(graph::Shape shape);
  void normalised_rows(std::int64_t rows, int statistics, bool keep_copy = false);
  void pooled(graph::PoolKind kind, bool global);

  Lowering& l_;
  graph::NodeId id_;
  const graph::Node& node_;
};

}  // namespace rooflab::schedule
