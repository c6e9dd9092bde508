// Forward rules of normalisation and elementwise ops.

#include "forward_rules.hpp"

namespace rooflab::schedule {

using namespace graph;

namespace {

/// What the backward of an elementwise function reads. Source: PyTorch's derivatives.
enum class Keeps { nothing, operand, result };

Keeps kept_by(const Unary& op) {
  using enum UnaryFunction;
  switch (op.function) {
    case relu:
    case sigmoid:
    case tanh:
    case exp:
    case sqrt:
    case rsqrt:
    case reciprocal:
    case tan:
      return Keeps::result;
    case elu:
    case selu:
    case celu:
    case leaky_relu:
      return op.inplace ? Keeps::result : Keeps::operand;
    case neg:
    case sign:
    case floor:
    case ceil:
    case round:
    case logical_not:
    case bitwise_not:
    case is_nan:
    case is_inf:
      return Keeps::nothing;
    case relu6:
    case gelu:
    case gelu_tanh:
    case silu:
    case mish:
    case hardsigmoid:
    case hardswish:
    case hardtanh:
    case softplus:
    case softsign:
    case prelu_constant:
    case erf:
    case log:
    case square:
    case abs:
    case sin:
    case cos:
    case asin:
    case acos:
    case atan:
    case sinh:
    case cosh:
    case clip:
      break;
  }
  return Keeps::operand;
}

}  // namespace

template <>
void ForwardRules::operator()(const BatchNorm&) {
  const TensorId x = in(0);
  if (!l_.records()) {
    finish(plain());
    return;
  }
  const TensorId batches = l_.new_contiguous({DType::i64, {}}, Role::buffer);
  l_.emit(CounterWork{}, id_, {batches}, {batches});
  const TensorId result = l_.new_tensor(out_type(), dense_like({x}));
  const TensorId mean = statistic({l_.shape(x)[1]});
  const TensorId inverse_deviation = statistic({l_.shape(x)[1]});
  l_.emit(NodeWork{}, id_, all_inputs(), {result, mean, inverse_deviation, in(3), in(4)});
  l_.save(id_, x);
  l_.save(id_, mean);
  l_.save(id_, inverse_deviation);
  finish(result);
}

template <>
void ForwardRules::operator()(const LayerNorm& op) {
  std::int64_t rows = 1;
  const Shape& full = l_.shape(in(0));
  for (std::size_t i = 0; i + static_cast<std::size_t>(op.normalized_rank) < full.rank(); ++i) {
    rows = checked_multiply(rows, full[i]);
  }
  normalised_rows(rows, 2);
}

template <>
void ForwardRules::operator()(const RmsNorm&) {
  const Shape& full = l_.shape(in(0));
  const std::int64_t features = full.from_end(1);
  normalised_rows(features == 0 ? 0 : full.elements() / features, 1);
}

template <>
void ForwardRules::operator()(const GroupNorm& op) {
  normalised_rows(checked_multiply(l_.shape(in(0))[0], op.groups), 2, true);
}

template <>
void ForwardRules::operator()(const LocalResponseNorm&) {
  const TensorId result = plain();
  l_.save(id_, in(0));
  l_.save(id_, result);
  finish(result);
}

template <>
void ForwardRules::operator()(const Unary& op) {
  const TensorId x = in(0);
  const bool differentiable = l_.needs_gradient(node_.inputs[0]);
  const Keeps keeps = kept_by(op);
  if (op.inplace && differentiable && keeps == Keeps::operand) {
    // Autograd clones what the function is about to overwrite.
    const TensorId clone = l_.new_tensor(l_.tensor(x).type, dense_like({x}));
    l_.emit(CopyWork{}, id_, {x}, {clone});
    l_.save(id_, clone);
  }
  const TensorId result = op.inplace ? l_.alias(x, out_type(), l_.tensor(x).strides)
                                     : l_.new_tensor(out_type(), dense_like({x}));
  l_.emit(NodeWork{}, id_, {x}, {result});
  if (differentiable && keeps == Keeps::result) l_.save(id_, result);
  if (differentiable && keeps == Keeps::operand && !op.inplace) l_.save(id_, x);
  finish(result);
}

template <>
void ForwardRules::operator()(const Binary& op) {
  const TensorId a = in(0);
  const TensorId b = in(1);
  const TensorId result = op.inplace ? l_.alias(a, out_type(), l_.tensor(a).strides)
                                     : l_.new_tensor(out_type(), dense_like({a, b}));
  l_.emit(NodeWork{}, id_, a == b ? std::vector{a} : std::vector{a, b}, {result});
  const bool need_a = l_.needs_gradient(node_.inputs[0]);
  const bool need_b = l_.needs_gradient(node_.inputs[1]);
  using enum BinaryFunction;
  switch (op.function) {
    case mul:
      if (need_b) l_.save(id_, a);
      if (need_a) l_.save(id_, b);
      break;
    case div:
      if (need_b) l_.save(id_, a);
      if (need_a || need_b) l_.save(id_, b);
      break;
    case pow:
    case minimum:
    case maximum:
    case prelu:
      if (need_a || need_b) {
        l_.save(id_, a);
        l_.save(id_, b);
      }
      if (need_b && op.function == pow) l_.save(id_, result);
      break;
    case add:
    case sub:
    case mod:
    case equal:
    case not_equal:
    case less:
    case less_equal:
    case greater:
    case greater_equal:
    case logical_and:
    case logical_or:
    case logical_xor:
    case bitwise_and:
    case bitwise_or:
    case bitwise_xor:
    case bit_shift:
      break;
  }
  finish(result);
}

template <>
void ForwardRules::operator()(const Where&) {
  const TensorId result = plain();
  if (l_.needs_gradient(node_.inputs[1]) || l_.needs_gradient(node_.inputs[2])) {
    l_.save(id_, in(0));
  }
  finish(result);
}

template <>
void ForwardRules::operator()(const Softmax&) {
  const TensorId x = l_.contiguous(in(0), id_);
  const TensorId result = l_.new_contiguous(out_type());
  l_.emit(NodeWork{}, id_, {x}, {result});
  if (differentiable()) l_.save(id_, result);
  finish(result);
}

template <>
void ForwardRules::operator()(const Cast&) {
  finish(plain());
}

template <>
void ForwardRules::operator()(const Dropout& op) {
  const TensorId x = in(0);
  if (!l_.records() || op.p == 0.0) {
    view(x, l_.tensor(x).strides);
    return;
  }
  if (op.inplace) {
    const TensorId noise = l_.new_tensor(out_type(), dense_like({x}));
    l_.emit(RandomWork{}, id_, {}, {noise});
    l_.emit(RandomWork{}, id_, {noise}, {noise});
    const TensorId result = l_.alias(x, out_type(), l_.tensor(x).strides);
    l_.emit(NodeWork{}, id_, {x, noise}, {result});
    if (differentiable()) l_.save(id_, noise);
    finish(result);
    return;
  }
  const TensorId result = l_.new_tensor(out_type(), dense_like({x}));
  const TensorId mask = l_.new_tensor({DType::boolean, out_type().shape}, dense_like({x}));
  l_.emit(NodeWork{}, id_, {x}, {result, mask});
  if (differentiable()) l_.save(id_, mask);
  finish(result);
}

template <>
void ForwardRules::operator()(const StochasticDepth& op) {
  const TensorId x = in(0);
  if (!l_.records() || op.p == 0.0) {
    view(x, l_.tensor(x).strides);
    return;
  }
  Shape rows = l_.shape(x);
  for (std::size_t i = 1; i < rows.rank(); ++i) rows[i] = 1;
  const TensorId noise = l_.new_contiguous({l_.tensor(x).type.dtype, rows});
  l_.emit(RandomWork{}, id_, {}, {noise});
  l_.emit(RandomWork{}, id_, {noise}, {noise});
  const TensorId result = l_.new_tensor(out_type(), dense_like({x, noise}));
  l_.emit(NodeWork{}, id_, {x, noise}, {result});
  if (differentiable()) l_.save(id_, noise);
  finish(result);
}

TensorId ForwardRules::statistic(Shape shape) {
  const DType data = l_.tensor(in(0)).type.dtype;
  return l_.new_contiguous({data == DType::f64 ? DType::f64 : DType::f32, std::move(shape)});
}

void ForwardRules::normalised_rows(std::int64_t rows, int statistics, bool keep_copy) {
  TensorId original = in(0);
  std::vector<TensorId> reads = all_inputs();
  reads.front() = l_.contiguous(original, id_);
  if (keep_copy) original = reads.front();
  std::vector<TensorId> writes = {l_.new_contiguous(out_type())};
  for (int i = 0; i < statistics; ++i) writes.push_back(statistic({rows}));
  l_.emit(NodeWork{}, id_, std::move(reads), writes);
  l_.save(id_, original);
  for (std::size_t i = 1; i < writes.size(); ++i) l_.save(id_, writes[i]);
  finish(writes.front());
}

void lower_layer_forward(Lowering& lowering, NodeId id) {
  visit_families<void, Family::normalisation, Family::elementwise>(lowering.node(id).op,
                                                                   ForwardRules(lowering, id));
}

}  // namespace rooflab::schedule
