// Gradients of pooling, reductions, views, copies and ops without a rule.

#include "backward_rules.hpp"

namespace rooflab::schedule {

using namespace graph;

template <>
void BackwardRules::operator()(const Pool& op) {
  pooled(op.kind);
}

template <>
void BackwardRules::operator()(const AdaptivePool& op) {
  if (op.kind == PoolKind::average && saved_.empty()) {
    spread(arriving(), true);
  } else {
    pooled(op.kind);
  }
}

template <>
void BackwardRules::operator()(const Reduce& op) {
  if (op.function != ReduceFunction::mean && op.function != ReduceFunction::sum) {
    from_saved();
    return;
  }
  Shape kept = l_.network().type(node_.inputs[0]).shape;
  for (const std::int64_t axis : op.axes) kept[static_cast<std::size_t>(axis)] = 1;
  spread(l_.reshaped(arriving(), kept, id_), op.function == ReduceFunction::mean);
}

template <>
void BackwardRules::operator()(const CumulativeSum&) {
  from_saved();
}

template <>
void BackwardRules::operator()(const TopK&) {
  const TensorId dx = l_.new_gradient(node_.inputs[0]);
  l_.emit(FillWork{}, id_, {}, {dx});
  l_.emit(NodeWork{}, id_, {arriving(), saved_.front()}, {dx});
  give(0, dx);
}

void BackwardRules::pooled(PoolKind kind) {
  // Max pooling reads its indices, not its input; average pooling only the gradient.
  std::vector<TensorId> reads = {like_value(arriving())};
  if (kind == PoolKind::max && !saved_.empty()) reads.push_back(saved_.back());
  if (!needed(0)) return;
  const TensorId dx = l_.new_gradient(node_.inputs[0]);
  l_.emit(NodeWork{}, id_, std::move(reads), {dx});
  give(0, dx);
}

template <>
void BackwardRules::operator()(const Reshape&) {
  give(0, l_.reshaped(arriving(), l_.network().type(node_.inputs[0]).shape, id_));
}

template <>
void BackwardRules::operator()(const Transpose& op) {
  const TensorId dy = arriving();
  const std::size_t rank = op.permutation.size();
  Strides strides(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t axis = op.permutation[i];
    strides[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis)] =
        l_.tensor(dy).strides[i];
  }
  TensorType type{l_.tensor(dy).type.dtype, l_.network().type(node_.inputs[0]).shape};
  give(0, l_.alias(dy, std::move(type), std::move(strides)));
}

// The sum over repeated elements is made where the gradient is handed over.
template <>
void BackwardRules::operator()(const Expand&) {
  give(0, arriving());
}

template <>
void BackwardRules::operator()(const Slice&) {
  if (!needed(0)) return;
  const TensorId dx = l_.new_gradient(node_.inputs[0],
                                      contiguous_strides(l_.network().type(node_.inputs[0]).shape));
  l_.emit(FillWork{}, id_, {}, {dx});
  const TensorId part = l_.alias(dx, l_.tensor(arriving()).type, l_.tensor(arriving()).strides);
  l_.emit(CopyWork{}, id_, {arriving()}, {part});
  give(0, dx);
}

template <>
void BackwardRules::operator()(const Split&) {
  if (!needed(0)) return;
  std::vector<TensorId> parts;
  for (const ValueId output : node_.outputs) {
    if (l_.gradient(output) != no_tensor) {
      parts.push_back(l_.gradient(output));
      continue;
    }
    const TensorId zeros = l_.new_contiguous(l_.network().type(output), Role::gradient);
    l_.emit(FillWork{}, id_, {}, {zeros});
    parts.push_back(zeros);
  }
  const TensorId dx = l_.new_contiguous(l_.network().type(node_.inputs[0]), Role::gradient);
  l_.emit(CopyWork{}, id_, std::move(parts), {dx});
  give(0, dx);
}

template <>
void BackwardRules::operator()(const Concat&) {
  const TensorId dy = arriving();
  for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
    if (!needed(i)) continue;
    TensorType type{l_.tensor(dy).type.dtype, l_.network().type(node_.inputs[i]).shape};
    give(i, l_.alias(dy, std::move(type), l_.tensor(dy).strides));
  }
}

template <>
void BackwardRules::operator()(const Gather&) {
  if (!needed(0)) return;
  if (is_parameter(0)) l_.set_pass(Pass::weight_gradient);
  const TensorId dx = l_.new_gradient(node_.inputs[0]);
  l_.emit(FillWork{}, id_, {}, {dx});
  l_.emit(NodeWork{}, id_, {arriving(), saved_.front()}, {dx});
  give(0, dx);
}

template <>
void BackwardRules::operator()(const GatherElements&) {
  (*this)(Gather{});
}

template <>
void BackwardRules::operator()(const Contiguous&) {
  give(0, arriving());
}

template <>
void BackwardRules::operator()(const Pad&) {
  from_saved();
}

// The data's gradient is a copy with zeros where it was replaced (the same tensor where the updates
// were added), the updates' is a gather. Source: PyTorch's derivatives of scatter, index_put and
// scatter_reduce.
template <>
void BackwardRules::operator()(const Scatter& op) {
  const TensorId dy = arriving();
  const Shape& rows = l_.network().type(node_.inputs[2]).shape;
  if (op.reduction != ScatterReduction::none && op.reduction != ScatterReduction::add) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
      if (!needed(i)) continue;
      const TensorId gradient = l_.new_gradient(node_.inputs[i]);
      l_.emit(NodeWork{}, id_, with_saved(dy), {gradient});
      give(i, gradient);
    }
    return;
  }
  const TensorId indices = saved_.front();
  if (needed(0) && op.reduction == ScatterReduction::none) {
    const TensorId dx = l_.new_gradient(node_.inputs[0]);
    l_.emit(CopyWork{}, id_, {dy}, {dx});
    std::vector<TensorId> reads = {indices};
    if (op.form == IndexForm::nd) {
      const TensorId zeros = l_.new_contiguous({l_.tensor(dy).type.dtype, rows}, Role::gradient);
      l_.emit(FillWork{}, id_, {}, {zeros});
      reads = {zeros, indices};
    }
    l_.emit(NodeWork{}, id_, std::move(reads), {dx});
    give(0, dx);
  } else if (needed(0)) {
    give(0, dy);
  }
  if (!needed(2)) return;
  const TensorId gradient = l_.new_gradient(node_.inputs[2], contiguous_strides(rows));
  l_.emit(NodeWork{}, id_, {dy, indices}, {gradient});
  give(2, gradient);
}

template <>
void BackwardRules::operator()(const Resize&) {
  from_saved();
}

// Samples are scattered onto zeros; the grid's gradient is made whether it is needed or not. cuDNN,
// which takes what PyTorch's cond_cudnn_grid_sampler names, writes both gradients by itself.
template <>
void BackwardRules::operator()(const GridSample& op) {
  const TensorType& x = l_.network().type(node_.inputs[0]);
  const bool by_cudnn = op.mode == GridSampleMode::bilinear &&
                        op.padding_mode == GridSamplePadding::zeros && op.align_corners &&
                        x.shape.rank() == 4 && x.shape[1] <= 1024 && x.dtype != DType::bf16;
  std::vector<TensorId> gradients(2, no_tensor);
  std::vector<TensorId> writes;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (i == 0 && !needed(0) && !by_cudnn) continue;
    const Shape& shape = l_.network().type(node_.inputs[i]).shape;
    gradients[i] = l_.new_gradient(node_.inputs[i], contiguous_strides(shape));
    if (i == 0 && !by_cudnn) l_.emit(FillWork{}, id_, {}, {gradients[0]});
    writes.push_back(gradients[i]);
  }
  l_.emit(NodeWork{}, id_, with_saved(arriving()), std::move(writes));
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (needed(i)) give(i, gradients[i]);
  }
}

// Rolled back, axis by axis.
template <>
void BackwardRules::operator()(const Roll& op) {
  if (!needed(0)) return;
  TensorId dx = arriving();
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const TensorId dy = l_.contiguous(dx, id_);
    dx = l_.new_contiguous(l_.tensor(dy).type, Role::gradient);
    l_.emit(NodeWork{}, id_, {dy}, {dx});
  }
  give(0, dx);
}

template <>
void BackwardRules::operator()(const Triangle&) {
  from_saved();
}

template <>
void BackwardRules::operator()(const Generate&) {}

// Its gradient is as unknown as the op itself: one uncounted entry, gradients of the right size.
template <>
void BackwardRules::operator()(const Opaque&) {
  std::vector<TensorId> reads;
  for (const ValueId output : node_.outputs) {
    if (l_.gradient(output) != no_tensor) reads.push_back(l_.gradient(output));
  }
  std::vector<TensorId> writes;
  std::vector<ValueId> targets;
  for (const ValueId operand : node_.inputs) {
    if (!l_.needs_gradient(operand)) continue;
    writes.push_back(l_.new_gradient(operand));
    targets.push_back(operand);
  }
  l_.emit(NodeWork{}, id_, std::move(reads), writes);
  for (std::size_t i = 0; i < targets.size(); ++i) l_.give_gradient(targets[i], writes[i], id_);
}

void lower_movement_backward(Lowering& lowering, NodeId id) {
  visit_families<void, Family::pooling, Family::reduction, Family::movement, Family::unknown>(
      lowering.node(id).op, BackwardRules(lowering, id));
}

}  // namespace rooflab::schedule
