// Forward rules of convolution, linear, products, attention and recurrent layers.

#include "forward_rules.hpp"

namespace rooflab::schedule {

using namespace graph;

namespace {

/// Elements that recurrent layers keep in addition to operands and results, from the shape of y: of
/// each unit at each step the gates, an LSTM's cell or a GRU's W_hn h + b_hn, and the results of
/// all layers but the last. What the gradients read: a library may keep more.
std::int64_t kept_inside(const Recurrent& op, const Shape& y) {
  const std::int64_t gates = op.gates() == 1 ? 0 : op.gates() + 1;  // a plain cell's is its result
  return checked_multiply(y.elements(), op.layers * gates + op.layers - 1);
}

}  // namespace

template <>
void ForwardRules::operator()(const Conv& op) {
  const TensorId original = in(0);
  const bool last = l_.convolves_channels_last(node_);
  const TensorId x = laid_out(original, last);
  const TensorId weight = laid_out(in(1), last);
  const TensorType& type = out_type();
  const TensorId result = l_.new_tensor(
      type, last ? channels_last_strides(type.shape) : contiguous_strides(type.shape));
  // The native depthwise kernel adds the bias itself; cuDNN's convolutions do not.
  const bool native_depthwise = !op.transposed && op.groups > 1 && op.groups == l_.shape(x)[1] &&
                                !last && l_.shape(x).rank() >= 4;
  const bool has_bias = node_.inputs.size() > 2;
  if (has_bias && native_depthwise) {
    l_.emit(NodeWork{}, id_, {x, weight, in(2)}, {result});
  } else {
    l_.emit(NodeWork{}, id_, {x, weight}, {result});
    if (has_bias) l_.emit(BiasAddWork{}, id_, {result, in(2)}, {result});
  }
  // One formula gives all of a convolution's gradients, so both operands are always kept.
  l_.save(id_, original);
  l_.save(id_, in(1));
  finish(result);
}

template <>
void ForwardRules::operator()(const Linear&) {
  const TensorId x = in(0);
  const bool folds = l_.shape(x).rank() <= 2 || is_contiguous(l_.shape(x), l_.tensor(x).strides);
  const std::int64_t features = l_.shape(x).from_end(1);
  const std::int64_t rows = features == 0 ? 0 : l_.shape(x).elements() / features;
  const TensorId matrix = l_.shape(x).rank() == 2 ? x : l_.reshaped(x, {rows, features}, id_);
  const TensorId result = l_.new_contiguous(out_type());
  const bool has_bias = node_.inputs.size() > 2;
  keep_product_operands(matrix, in(1));
  if (!has_bias || folds) {
    std::vector<TensorId> reads = {matrix, in(1)};
    if (has_bias) reads.push_back(in(2));
    l_.emit(NodeWork{}, id_, std::move(reads), {result});
    finish(result);
    return;
  }
  // A product of a copy cannot take the bias along: it is added afterwards, out of place.
  l_.emit(NodeWork{}, id_, {matrix, in(1)}, {result});
  const TensorId sum = l_.new_contiguous(out_type());
  l_.emit(BiasAddWork{}, id_, {result, in(2)}, {sum});
  finish(sum);
}

template <>
void ForwardRules::operator()(const MatMul&) {
  const TensorId a = foldable(in(0));
  const TensorId b = foldable(in(1));
  const TensorId result = l_.new_contiguous(out_type());
  l_.emit(NodeWork{}, id_, {a, b}, {result});
  keep_product_operands(a, b);
  finish(result);
}

template <>
void ForwardRules::operator()(const Einsum&) {
  const TensorId result = plain();
  if (node_.inputs.size() == 2) keep_product_operands(in(0), in(1));
  finish(result);
}

template <>
void ForwardRules::operator()(const Attention&) {
  const TensorType& type = out_type();
  const bool half = type.dtype == DType::f16 || type.dtype == DType::bf16;
  const TensorId result =
      l_.new_tensor(type, half && l_.shape(in(0)) == type.shape ? dense_like({in(0)})
                                                                : l_.heads_inside(type.shape));
  if (!l_.records()) {
    l_.emit(NodeWork{}, id_, all_inputs(), {result});
    finish(result);
    return;
  }
  std::vector<std::int64_t> rows(type.shape.dims().begin(), type.shape.dims().end() - 1);
  // The fp32 kernel works on tiles of 32 rows.
  if (!half && !rows.empty()) rows.back() = checked_add(rows.back(), 31) / 32 * 32;
  const TensorId row_statistics = l_.new_contiguous({DType::f32, Shape(std::move(rows))});
  l_.emit(NodeWork{}, id_, all_inputs(), {result, row_statistics});
  for (const ValueId operand : node_.inputs) l_.save(id_, l_.value(operand));
  l_.save(id_, result);
  l_.save(id_, row_statistics);
  finish(result);
}

// cuDNN takes contiguous steps of samples; samples before steps are copied, and the result is such
// a tensor seen with the samples first. Source: PyTorch, aten/src/ATen/native/cudnn/RNN.cpp; zeros
// of states that are not given are the module's (torch/nn/modules/rnn.py).
template <>
void ForwardRules::operator()(const Recurrent& op) {
  const TensorId original = in(0);
  const TensorId x = l_.steps_first(original, op.batch_first, id_);
  std::vector<TensorId> reads = {x};
  std::vector<TensorId> kept = {original};
  for (std::size_t i = 0; i < op.states(); ++i) {
    if (op.initial_state) {
      reads.push_back(l_.contiguous(in(1 + i), id_));
      kept.push_back(in(1 + i));
      continue;
    }
    reads.push_back(l_.new_contiguous(l_.network().type(node_.outputs[1 + i])));
    l_.emit(FillWork{}, id_, {}, {reads.back()});
    kept.push_back(reads.back());
  }
  for (std::size_t i = op.first_weight(); i < node_.inputs.size(); ++i) {
    reads.push_back(in(i));
    kept.push_back(in(i));
  }
  const TensorType& type = out_type();
  const TensorId result = l_.new_tensor(type, Lowering::steps_outside(type.shape, op.batch_first));
  std::vector<TensorId> writes = {result};
  for (std::size_t i = 1; i < node_.outputs.size(); ++i) {
    writes.push_back(l_.new_contiguous(l_.network().type(node_.outputs[i])));
    l_.set_value(node_.outputs[i], writes.back());
  }
  kept.push_back(result);
  const std::int64_t inside = l_.records() ? kept_inside(op, type.shape) : 0;
  if (inside > 0) {
    writes.push_back(l_.new_contiguous({type.dtype, {inside}}));
    kept.push_back(writes.back());
  }
  l_.emit(NodeWork{}, id_, std::move(reads), std::move(writes));
  if (differentiable()) {
    for (const TensorId id : kept) l_.save(id_, id);
  }
  finish(result);
}

TensorId ForwardRules::foldable(TensorId id) {
  const Shape& full = l_.shape(id);
  if (full.rank() <= 3) return id;
  std::int64_t batch = 1;
  for (std::size_t i = 0; i + 2 < full.rank(); ++i) batch = checked_multiply(batch, full[i]);
  const Shape folded{batch, full.from_end(2), full.from_end(1)};
  if (view_strides(full, l_.tensor(id).strides, folded)) return id;
  return l_.contiguous(id, id_);
}

void ForwardRules::keep_product_operands(TensorId a, TensorId b) {
  if (l_.needs_gradient(node_.inputs[1])) l_.save(id_, a);
  if (l_.needs_gradient(node_.inputs[0])) l_.save(id_, b);
}

void lower_matrix_forward(Lowering& lowering, NodeId id) {
  visit_families<void, Family::matrix>(lowering.node(id).op, ForwardRules(lowering, id));
}

}  // namespace rooflab::schedule
