#pragma once

#include <initializer_list>
#include <vector>

#include "lowering.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::schedule {

/// Lowers the forward pass of one node, with a rule per op, in files by family. The essay is at the
/// head of forward_rules.cpp.
class ForwardRules {
 public:
  ForwardRules(Lowering& lowering, graph::NodeId id)
      : l_(lowering), id_(id), node_(lowering.node(id)) {}
  /// The rule of an op is a specialisation in the file of its family.
  template <class Struct>
  void operator()(const Struct& op) = delete;

 private:
  [[nodiscard]] TensorId in(std::size_t index) const;
  [[nodiscard]] const graph::TensorType& out_type() const;
  [[nodiscard]] bool differentiable() const;
  [[nodiscard]] std::vector<TensorId> all_inputs() const;
  void finish(TensorId result);
  void view(TensorId base, Strides strides);
  [[nodiscard]] Strides dense_like(std::initializer_list<TensorId> operands) const;
  /// Emits one op from all inputs to the only output, laid out like the inputs where shapes allow.
  TensorId plain();
  [[nodiscard]] TensorId laid_out(TensorId id, bool last);
  /// An operand of a batched product, copied unless its leading dimensions fold into one.
  [[nodiscard]] TensorId foldable(TensorId id);
  void keep_product_operands(TensorId a, TensorId b);
  [[nodiscard]] TensorId statistic(graph::Shape shape);
  void normalised_rows(std::int64_t rows, int statistics, bool keep_copy = false);
  void pooled(graph::PoolKind kind, bool global);

  Lowering& l_;
  graph::NodeId id_;
  const graph::Node& node_;
};

// Functions that lower one node, by the family of its op.
void lower_matrix_forward(Lowering& lowering, graph::NodeId id);
/// Lowers normalisation and elementwise ops.
void lower_layer_forward(Lowering& lowering, graph::NodeId id);
/// Lowers pooling, reductions, scans and selections.
void lower_reduction_forward(Lowering& lowering, graph::NodeId id);
/// Lowers movement and unknown ops.
void lower_movement_forward(Lowering& lowering, graph::NodeId id);

}  // namespace rooflab::schedule
