// What the forward pass of a node runs on a GPU, and what autograd saves of it.
//
// Source: the behaviour of PyTorch's operators as their documentation, `torch.autograd.graph.
// saved_tensors_hooks` and a dispatch trace of one step show it (docs/methods/schedule.md lists
// the rules and how they were checked). In short:
//
//   convolution    operands in the layout of input or weight (channels-last wins); the bias is a
//                  separate pass except in the depthwise kernel; saves input and weight
//   linear, matmul one GEMM; operands whose strides do not fold are copied; saves both operands
//   attention      one fused op; saves q, k, v, the output and one fp32 number per row. In half
//                  precision the output lies in memory as q does (cuDNN's kernel), in fp32 with
//                  the heads inside the sequence, as the projection that follows wants them
//   batch norm     saves input, mean and inverse deviation; counts the batch
//   layer norm     works on a contiguous input; saves the input as it was and two row statistics
//   activation     saves its result or its operand; in place, an operand that is needed is cloned
//   pooling        max saves input and i64 indices, average its input, global average nothing
//   dropout        writes a mask of one byte (in place: noise of the data's type)
//   views          cost nothing; a reshape whose strides do not fit is a copy

#include "forward_rules.hpp"

#include <algorithm>

namespace rooflab::schedule {

using namespace graph;

TensorId ForwardRules::in(std::size_t index) const { return l_.value(node_.inputs[index]); }

const TensorType& ForwardRules::out_type() const { return l_.network().type(node_.outputs[0]); }

bool ForwardRules::differentiable() const { return l_.needs_gradient(node_.outputs[0]); }

std::vector<TensorId> ForwardRules::all_inputs() const {
  std::vector<TensorId> tensors;
  for (const ValueId operand : node_.inputs) {
    const TensorId id = l_.value(operand);
    if (std::ranges::find(tensors, id) == tensors.end()) tensors.push_back(id);
  }
  return tensors;
}

void ForwardRules::finish(TensorId result) { l_.set_value(node_.outputs[0], result); }

void ForwardRules::view(TensorId base, Strides strides) {
  l_.emit(ViewWork{}, id_, {}, {});
  finish(l_.alias(base, out_type(), std::move(strides)));
}

Strides ForwardRules::dense_like(std::initializer_list<TensorId> operands) const {
  std::vector<StridedOperand> strided;
  for (const TensorId id : operands) strided.push_back({&l_.shape(id), &l_.tensor(id).strides});
  return elementwise_strides(strided, out_type().shape);
}

TensorId ForwardRules::plain() {
  const TensorType& type = out_type();
  const bool follows = !node_.inputs.empty() && l_.shape(in(0)) == type.shape;
  const TensorId result =
      follows ? l_.new_tensor(type, dense_like({in(0)})) : l_.new_contiguous(type);
  l_.emit(NodeWork{}, id_, all_inputs(), {result});
  return result;
}

TensorId ForwardRules::laid_out(TensorId id, bool last) {
  return last ? l_.channels_last(id, id_) : l_.contiguous(id, id_);
}

void lower_forward(Lowering& lowering, NodeId id) {
  switch (family_of(lowering.node(id).op)) {
    case Family::matrix:
      return lower_matrix_forward(lowering, id);
    case Family::normalisation:
    case Family::elementwise:
      return lower_layer_forward(lowering, id);
    case Family::pooling:
    case Family::reduction:
      return lower_reduction_forward(lowering, id);
    case Family::movement:
    case Family::unknown:
      return lower_movement_forward(lowering, id);
  }
}

}  // namespace rooflab::schedule
