// The gradients of a node, op by op.
//
// Nothing is "twice the forward": data gradient and weight gradient are separate entries, and an
// operand that needs no gradient (the network's input) gets none. Views hand the gradient on as a
// view; a sum hands the very same tensor to both operands; a value that feeds several nodes gets
// an `accumulate` for each further gradient (Lowering::give_gradient). Elementwise gradients read
// the arriving gradient and what the forward pass saved. Source: PyTorch's derivative formulas as
// its documentation and a dispatch trace of one step show them (docs/methods/schedule.md).

#include "backward_rules.hpp"

namespace rooflab::schedule {

using namespace graph;

TensorId BackwardRules::arriving() const { return l_.gradient(node_.outputs[0]); }

bool BackwardRules::needed(std::size_t input) const {
  return l_.needs_gradient(node_.inputs[input]);
}

bool BackwardRules::is_parameter(std::size_t input) const {
  return l_.network().value(node_.inputs[input]).kind == ValueKind::parameter;
}

void BackwardRules::give(std::size_t input, TensorId gradient) {
  l_.give_gradient(node_.inputs[input], gradient, id_);
}

TensorId BackwardRules::like_value(TensorId dy) {
  const Tensor& result = l_.tensor(l_.value(node_.outputs[0]));
  if (is_channels_last(result.type.shape, result.strides)) return l_.channels_last(dy, id_);
  return l_.contiguous(dy, id_);
}

TensorId BackwardRules::elementwise(std::vector<TensorId> reads) {
  std::vector<StridedOperand> strided;
  for (const TensorId id : reads) {
    if (l_.shape(id).rank() <= l_.shape(reads.front()).rank()) {
      strided.push_back({&l_.shape(id), &l_.tensor(id).strides});
    }
  }
  Strides strides = elementwise_strides(strided, l_.shape(reads.front()));
  const TensorId result =
      l_.new_tensor(l_.tensor(reads.front()).type, std::move(strides), Role::gradient);
  l_.emit(NodeWork{}, id_, std::move(reads), {result});
  return result;
}

std::vector<TensorId> BackwardRules::with_saved(TensorId dy) const {
  std::vector<TensorId> reads = {dy};
  reads.insert(reads.end(), saved_.begin(), saved_.end());
  return reads;
}

void BackwardRules::pointwise() {
  if (!needed(0)) return;
  give(0, elementwise(with_saved(arriving())));
}

void BackwardRules::from_saved() {
  if (!needed(0)) return;
  const TensorId dx = l_.new_gradient(node_.inputs[0]);
  l_.emit(NodeWork{}, id_, with_saved(arriving()), {dx});
  give(0, dx);
}

void BackwardRules::spread(TensorId dy, bool divide) {
  if (!needed(0)) return;
  const TensorType type{l_.tensor(dy).type.dtype, l_.network().type(node_.inputs[0]).shape};
  Strides strides = l_.tensor(dy).strides;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (l_.shape(dy)[i] != type.shape[i]) strides[i] = 0;
  }
  const TensorId repeated = l_.alias(dy, type, std::move(strides));
  give(0, divide ? elementwise({repeated}) : repeated);
}

void lower_backward(Lowering& lowering, NodeId id) {
  switch (family_of(lowering.node(id).op)) {
    case Family::matrix:
      return lower_matrix_backward(lowering, id);
    case Family::normalisation:
    case Family::elementwise:
      return lower_layer_backward(lowering, id);
    case Family::pooling:
    case Family::reduction:
    case Family::movement:
    case Family::unknown:
      return lower_movement_backward(lowering, id);
  }
}

}  // namespace rooflab::schedule
