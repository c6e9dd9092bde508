// Forward rules of pooling, reductions and selections.

#include <algorithm>

#include "forward_rules.hpp"

namespace rooflab::schedule {

using namespace graph;

template <>
void ForwardRules::operator()(const Pool& op) {
  pooled(op.kind, false);
}

template <>
void ForwardRules::operator()(const AdaptivePool& op) {
  const bool global = std::ranges::all_of(op.output_size, [](std::int64_t e) { return e == 1; });
  pooled(op.kind, global);
}

template <>
void ForwardRules::operator()(const Reduce& op) {
  const TensorId result = plain();
  using enum ReduceFunction;
  if (differentiable() && op.function != mean && op.function != sum && op.function != arg_max &&
      op.function != arg_min) {
    l_.save(id_, in(0));
    l_.save(id_, result);
  }
  finish(result);
}

template <>
void ForwardRules::operator()(const CumulativeSum&) {
  finish(plain());
}

template <>
void ForwardRules::operator()(const TopK&) {
  const TensorId values = l_.new_contiguous(l_.network().type(node_.outputs[0]));
  const TensorId indices = l_.new_contiguous(l_.network().type(node_.outputs[1]));
  l_.emit(NodeWork{}, id_, {in(0)}, {values, indices});
  if (differentiable()) l_.save(id_, indices);
  l_.set_value(node_.outputs[0], values);
  l_.set_value(node_.outputs[1], indices);
}

void ForwardRules::pooled(PoolKind kind, bool global) {
  const TensorId x = in(0);
  const TensorType& type = out_type();
  const bool last = is_channels_last(l_.shape(x), l_.tensor(x).strides);
  Strides strides = last ? channels_last_strides(type.shape) : contiguous_strides(type.shape);
  const TensorId result = l_.new_tensor(type, strides);
  if (kind == PoolKind::average) {
    l_.emit(NodeWork{}, id_, {x}, {result});
    // Global average pooling is a mean: its gradient needs the extents only.
    if (differentiable() && !global) l_.save(id_, x);
  } else {
    const TensorId indices = l_.new_tensor({DType::i64, type.shape}, std::move(strides));
    l_.emit(NodeWork{}, id_, {x}, {result, indices});
    if (differentiable()) {
      l_.save(id_, x);
      l_.save(id_, indices);
    }
  }
  finish(result);
}

void lower_reduction_forward(Lowering& lowering, NodeId id) {
  visit_families<void, Family::pooling, Family::reduction>(lowering.node(id).op,
                                                           ForwardRules(lowering, id));
}

}  // namespace rooflab::schedule
