// Gradients of convolution, linear, products and attention.

#include "backward_rules.hpp"

namespace rooflab::schedule {

using namespace graph;

template <>
void BackwardRules::operator()(const Conv&) {
  const bool last = l_.convolves_channels_last(node_);
  const auto strides_of = [last](const Shape& shape) {
    return last ? channels_last_strides(shape) : contiguous_strides(shape);
  };
  const auto laid_out = [this, last](TensorId id) {
    return last ? l_.channels_last(id, id_) : l_.contiguous(id, id_);
  };
  const TensorId dy = laid_out(arriving());
  const TensorId x = l_.value(node_.inputs[0]);
  const TensorId weight = l_.value(node_.inputs[1]);
  // Copies that the forward pass made were not kept: they are made again.
  if (needed(0)) data_gradient({dy, laid_out(weight)}, strides_of(l_.shape(x)));
  if (needed(1)) weight_gradient({dy, laid_out(x)}, strides_of(l_.shape(weight)));
  bias_gradient(dy);
}

template <>
void BackwardRules::operator()(const Linear&) {
  const Shape& full = l_.shape(arriving());
  const std::int64_t features = full.from_end(1);
  const std::int64_t rows = features == 0 ? 0 : full.elements() / features;
  const TensorId dy =
      full.rank() == 2 ? arriving() : l_.reshaped(arriving(), {rows, features}, id_);
  const TensorId weight = l_.value(node_.inputs[1]);
  data_gradient({dy, weight}, contiguous_strides(l_.network().type(node_.inputs[0]).shape));
  weight_gradient({dy, saved_.front()}, contiguous_strides(l_.shape(weight)));
  bias_gradient(dy);
}

template <>
void BackwardRules::operator()(const MatMul&) {
  product();
}

template <>
void BackwardRules::operator()(const Einsum&) {
  product();
}

// Scores are made again from q and k: five products instead of the forward's two.
template <>
void BackwardRules::operator()(const Attention&) {
  std::vector<TensorId> reads = with_saved(arriving());
  std::vector<TensorId> writes;
  const DType dtype = l_.network().type(node_.inputs[0]).dtype;
  const bool half = dtype == DType::f16 || dtype == DType::bf16;
  for (std::size_t i = 0; i < 3; ++i) {
    const Shape& shape = l_.network().type(node_.inputs[i]).shape;
    writes.push_back(half ? l_.new_gradient(node_.inputs[i])
                          : l_.new_gradient(node_.inputs[i], Lowering::heads_inside(shape)));
  }
  l_.emit(NodeWork{}, id_, std::move(reads), writes);
  for (std::size_t i = 0; i < 3; ++i) l_.give_gradient(node_.inputs[i], writes[i], id_);
}

void BackwardRules::data_gradient(std::vector<TensorId> reads, Strides strides) {
  if (!needed(0)) return;
  l_.set_pass(Pass::data_gradient);
  const TensorId dx = l_.new_gradient(node_.inputs[0], std::move(strides));
  l_.emit(NodeWork{}, id_, std::move(reads), {dx});
  give(0, dx);
}

void BackwardRules::weight_gradient(std::vector<TensorId> reads, Strides strides) {
  if (!needed(1)) return;
  l_.set_pass(Pass::weight_gradient);
  const TensorId dw = l_.new_gradient(node_.inputs[1], std::move(strides));
  l_.emit(NodeWork{}, id_, std::move(reads), {dw});
  give(1, dw);
}

void BackwardRules::bias_gradient(TensorId dy) {
  if (node_.inputs.size() < 3 || !needed(2)) return;
  l_.set_pass(Pass::weight_gradient);
  const TensorId db = l_.new_gradient(node_.inputs[2]);
  l_.emit(BiasGradientWork{}, id_, {dy}, {db});
  give(2, db);
}

void BackwardRules::product() {
  const TensorId dy = arriving();
  if (node_.inputs.size() != 2) {
    from_saved();
    return;
  }
  // Kept in order: the first operand if the second needs a gradient, then the second.
  const TensorId kept[] = {needed(1) ? saved_.front() : no_tensor,
                           needed(0) ? saved_.back() : no_tensor};
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    if (!needed(side)) continue;
    const bool leaf = is_parameter(side);
    l_.set_pass(leaf ? Pass::weight_gradient : Pass::data_gradient);
    const TensorId other = kept[1 - side];
    const TensorId gradient = l_.new_contiguous(l_.network().type(node_.inputs[side]),
                                                leaf ? Role::parameter_gradient : Role::gradient);
    l_.emit(NodeWork{}, id_, {dy, other}, {gradient});
    give(side, gradient);
  }
}

void lower_matrix_backward(Lowering& lowering, NodeId id) {
  visit_families<void, Family::matrix>(lowering.node(id).op, BackwardRules(lowering, id));
}

}  // namespace rooflab::schedule
