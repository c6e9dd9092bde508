// Gradients of convolution, linear, products, attention and recurrent layers.

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

// The gradients of x and of the states are made whether they are needed or not: those of the
// weights follow from the gates' gradients of all steps, which they leave behind. A result that
// nothing reads has zeros for a gradient. Source: PyTorch, aten/src/ATen/native/cudnn/RNN.cpp.
template <>
void BackwardRules::operator()(const Recurrent& op) {
  const std::size_t weights = op.first_weight();
  const std::size_t weights_end = 1 + op.states() + node_.inputs.size() - weights;
  std::vector<TensorId> reads;
  (void)l_.steps_first(saved_.front(), op.batch_first, id_);  // a copy that nothing reads
  for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
    TensorId dy = l_.gradient(node_.outputs[i]);
    if (dy == no_tensor) {
      dy = l_.new_contiguous(l_.network().type(node_.outputs[i]), Role::gradient);
      l_.emit(FillWork{}, id_, {}, {dy});
    } else {
      dy = i == 0 ? l_.steps_first(dy, op.batch_first, id_) : l_.contiguous(dy, id_);
    }
    reads.push_back(dy);
  }
  // Kept: x, the states, the weights, y and, of most cells, the gates.
  reads.insert(reads.end(), saved_.begin() + 1, saved_.end());
  const Shape& shape = l_.network().type(node_.inputs[0]).shape;
  std::vector<TensorId> writes = {
      l_.new_gradient(node_.inputs[0], Lowering::steps_outside(shape, op.batch_first))};
  for (std::size_t i = 1; i <= op.states(); ++i) {
    writes.push_back(op.initial_state
                         ? l_.new_gradient(node_.inputs[i])
                         : l_.new_contiguous(l_.network().type(node_.outputs[i]), Role::gradient));
  }
  l_.emit(NodeWork{}, id_, std::move(reads), writes);
  for (std::size_t i = 0; i < weights; ++i) {
    if (needed(i)) give(i, writes[i]);
  }

  std::vector<std::size_t> trained;
  for (std::size_t i = weights; i < node_.inputs.size(); ++i) {
    if (needed(i)) trained.push_back(i);
  }
  if (trained.empty()) return;
  l_.set_pass(Pass::weight_gradient);
  reads = {l_.steps_first(saved_.front(), op.batch_first, id_), saved_[1]};
  reads.insert(reads.end(), saved_.begin() + static_cast<std::ptrdiff_t>(weights_end),
               saved_.end());
  writes.clear();
  for (const std::size_t i : trained) writes.push_back(l_.new_gradient(node_.inputs[i]));
  l_.emit(FillWork{}, id_, {}, writes);  // one piece of memory, to which the library adds
  l_.emit(NodeWork{}, id_, std::move(reads), writes);
  for (std::size_t i = 0; i < trained.size(); ++i) give(trained[i], writes[i]);
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
