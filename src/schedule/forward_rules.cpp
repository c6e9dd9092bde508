// What the forward pass of a node runs on a GPU, and what autograd saves of it.
//
// Source: the behaviour of PyTorch's operators as their documentation, `torch.autograd.graph.
// saved_tensors_hooks` and a dispatch trace of one step show it (docs/methods/schedule.md lists
// the rules and how they were checked). In short:
//
//   convolution    operands in the layout of input or weight (channels-last wins); the bias is a
//                  pass of its own except in the depthwise kernel; saves input and weight
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

#include <algorithm>
#include <optional>

#include "lowering.hpp"
#include "rooflab/base/assert.hpp"

namespace rooflab::schedule {
namespace {

using namespace graph;

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
    default:
      return Keeps::operand;
  }
}

/// Forward rules of one node.
class Forward {
 public:
  Forward(Lowering& lowering, NodeId id) : l_(lowering), id_(id), node_(lowering.node(id)) {}

  void operator()(const Conv& op) {
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

  void operator()(const Linear&) {
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

  void operator()(const MatMul&) {
    const TensorId a = foldable(in(0));
    const TensorId b = foldable(in(1));
    const TensorId result = l_.new_contiguous(out_type());
    l_.emit(NodeWork{}, id_, {a, b}, {result});
    keep_product_operands(a, b);
    finish(result);
  }

  void operator()(const Einsum&) {
    const TensorId result = plain();
    if (node_.inputs.size() == 2) keep_product_operands(in(0), in(1));
    finish(result);
  }

  void operator()(const Attention&) {
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

  void operator()(const BatchNorm&) {
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

  void operator()(const LayerNorm& op) {
    std::int64_t rows = 1;
    const Shape& full = l_.shape(in(0));
    for (std::size_t i = 0; i + static_cast<std::size_t>(op.normalized_rank) < full.rank(); ++i) {
      rows = checked_multiply(rows, full[i]);
    }
    normalised_rows(rows, 2);
  }

  void operator()(const RmsNorm&) {
    const Shape& full = l_.shape(in(0));
    const std::int64_t features = full.from_end(1);
    normalised_rows(features == 0 ? 0 : full.elements() / features, 1);
  }

  void operator()(const GroupNorm& op) {
    normalised_rows(checked_multiply(l_.shape(in(0))[0], op.groups), 2, true);
  }

  void operator()(const LocalResponseNorm&) {
    const TensorId result = plain();
    l_.save(id_, in(0));
    l_.save(id_, result);
    finish(result);
  }

  void operator()(const Unary& op) {
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

  void operator()(const Binary& op) {
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
      default:
        break;
    }
    finish(result);
  }

  void operator()(const Where&) {
    const TensorId result = plain();
    if (l_.needs_gradient(node_.inputs[1]) || l_.needs_gradient(node_.inputs[2])) {
      l_.save(id_, in(0));
    }
    finish(result);
  }

  void operator()(const Softmax&) {
    const TensorId x = l_.contiguous(in(0), id_);
    const TensorId result = l_.new_contiguous(out_type());
    l_.emit(NodeWork{}, id_, {x}, {result});
    if (differentiable()) l_.save(id_, result);
    finish(result);
  }

  void operator()(const Cast&) { finish(plain()); }

  void operator()(const Dropout& op) {
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

  void operator()(const StochasticDepth& op) {
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

  void operator()(const Pool& op) { pooled(op.kind, false); }

  void operator()(const AdaptivePool& op) {
    const bool global = std::ranges::all_of(op.output_size, [](std::int64_t e) { return e == 1; });
    pooled(op.kind, global);
  }

  void operator()(const Reduce& op) {
    const TensorId result = plain();
    using enum ReduceFunction;
    if (differentiable() && op.function != mean && op.function != sum && op.function != arg_max &&
        op.function != arg_min) {
      l_.save(id_, in(0));
      l_.save(id_, result);
    }
    finish(result);
  }

  void operator()(const CumulativeSum&) { finish(plain()); }

  void operator()(const TopK&) {
    const TensorId values = l_.new_contiguous(l_.network().type(node_.outputs[0]));
    const TensorId indices = l_.new_contiguous(l_.network().type(node_.outputs[1]));
    l_.emit(NodeWork{}, id_, {in(0)}, {values, indices});
    if (differentiable()) l_.save(id_, indices);
    l_.set_value(node_.outputs[0], values);
    l_.set_value(node_.outputs[1], indices);
  }

  void operator()(const Reshape&) {
    const TensorId result = l_.reshaped(in(0), out_type().shape, id_);
    if (l_.tensor(result).storage == l_.tensor(in(0)).storage) {
      l_.emit(ViewWork{}, id_, {}, {});
    }
    finish(result);
  }

  void operator()(const Transpose& op) {
    Strides strides;
    const Strides& from = l_.tensor(in(0)).strides;
    for (const std::int64_t axis : op.permutation) {
      strides.push_back(from[static_cast<std::size_t>(
          axis < 0 ? axis + static_cast<std::int64_t>(from.size()) : axis)]);
    }
    view(in(0), std::move(strides));
  }

  void operator()(const Expand&) {
    const Shape& from = l_.shape(in(0));
    const Shape& to = out_type().shape;
    Strides strides(to.rank(), 0);
    const std::size_t lead = to.rank() - from.rank();
    for (std::size_t i = 0; i < from.rank(); ++i) {
      if (from[i] == to[lead + i]) strides[lead + i] = l_.tensor(in(0)).strides[i];
    }
    view(in(0), std::move(strides));
  }

  void operator()(const Slice& op) {
    if (std::ranges::any_of(op.step, [](std::int64_t step) { return step < 0; })) {
      // No strides run backwards: the elements are copied in their new order.
      const TensorId x = l_.alias(in(0), out_type(), contiguous_strides(out_type().shape));
      const TensorId result = l_.new_contiguous(out_type());
      l_.emit(NodeWork{}, id_, {x}, {result});
      finish(result);
      return;
    }
    Strides strides = l_.tensor(in(0)).strides;
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
      const std::int64_t rank = static_cast<std::int64_t>(strides.size());
      const auto axis = static_cast<std::size_t>(op.axes[i] < 0 ? op.axes[i] + rank : op.axes[i]);
      strides[axis] *= op.step[i];
    }
    view(in(0), std::move(strides));
  }

  void operator()(const Split&) {
    const TensorId x = in(0);
    l_.emit(ViewWork{}, id_, {}, {});
    for (const ValueId output : node_.outputs) {
      l_.set_value(output, l_.alias(x, l_.network().type(output), l_.tensor(x).strides));
    }
  }

  void operator()(const Concat&) {
    const TensorType& type = out_type();
    const bool last = std::ranges::all_of(node_.inputs, [this](ValueId id) {
      return is_channels_last(l_.shape(l_.value(id)), l_.tensor(l_.value(id)).strides);
    });
    const TensorId result = l_.new_tensor(
        type, last ? channels_last_strides(type.shape) : contiguous_strides(type.shape));
    l_.emit(NodeWork{}, id_, all_inputs(), {result});
    finish(result);
  }

  void operator()(const Gather&) {
    const TensorId result = l_.new_contiguous(out_type());
    l_.emit(NodeWork{}, id_, {in(0), in(1)}, {result});
    if (differentiable()) l_.save(id_, in(1));
    finish(result);
  }

  void operator()(const GatherElements&) { (*this)(Gather{}); }

  void operator()(const Contiguous&) {
    const TensorId result = l_.contiguous(in(0), id_);
    if (result == in(0)) l_.emit(ViewWork{}, id_, {}, {});
    finish(result);
  }

  void operator()(const Pad&) { finish(plain()); }
  void operator()(const Scatter&) { finish(plain()); }
  void operator()(const Resize&) { finish(plain()); }
  void operator()(const Roll&) { finish(plain()); }
  void operator()(const Triangle&) { finish(plain()); }

  void operator()(const Generate&) {
    const TensorId result = l_.new_contiguous(out_type());
    l_.emit(NodeWork{}, id_, {}, {result});
    finish(result);
  }

  void operator()(const Opaque&) {
    std::vector<TensorId> results;
    for (const ValueId output : node_.outputs) {
      results.push_back(l_.new_contiguous(l_.network().type(output)));
      l_.set_value(output, results.back());
    }
    l_.emit(NodeWork{}, id_, all_inputs(), std::move(results));
  }

 private:
  [[nodiscard]] TensorId in(std::size_t index) const { return l_.value(node_.inputs[index]); }
  [[nodiscard]] const TensorType& out_type() const { return l_.network().type(node_.outputs[0]); }
  [[nodiscard]] bool differentiable() const { return l_.needs_gradient(node_.outputs[0]); }

  [[nodiscard]] std::vector<TensorId> all_inputs() const {
    std::vector<TensorId> tensors;
    for (const ValueId operand : node_.inputs) {
      const TensorId id = l_.value(operand);
      if (std::ranges::find(tensors, id) == tensors.end()) tensors.push_back(id);
    }
    return tensors;
  }

  void finish(TensorId result) { l_.set_value(node_.outputs[0], result); }

  void view(TensorId base, Strides strides) {
    l_.emit(ViewWork{}, id_, {}, {});
    finish(l_.alias(base, out_type(), std::move(strides)));
  }

  [[nodiscard]] Strides dense_like(std::initializer_list<TensorId> operands) const {
    std::vector<StridedOperand> strided;
    for (const TensorId id : operands) strided.push_back({&l_.shape(id), &l_.tensor(id).strides});
    return elementwise_strides(strided, out_type().shape);
  }

  /// One op from all inputs to the one output, laid out like the inputs where shapes allow.
  TensorId plain() {
    const TensorType& type = out_type();
    const bool follows = !node_.inputs.empty() && l_.shape(in(0)) == type.shape;
    const TensorId result =
        follows ? l_.new_tensor(type, dense_like({in(0)})) : l_.new_contiguous(type);
    l_.emit(NodeWork{}, id_, all_inputs(), {result});
    return result;
  }

  [[nodiscard]] TensorId laid_out(TensorId id, bool last) {
    return last ? l_.channels_last(id, id_) : l_.contiguous(id, id_);
  }

  /// An operand of a batched product: its leading dimensions must fold into one.
  [[nodiscard]] TensorId foldable(TensorId id) {
    const Shape& full = l_.shape(id);
    if (full.rank() <= 3) return id;
    std::int64_t batch = 1;
    for (std::size_t i = 0; i + 2 < full.rank(); ++i) batch = checked_multiply(batch, full[i]);
    const Shape folded{batch, full.from_end(2), full.from_end(1)};
    if (view_strides(full, l_.tensor(id).strides, folded)) return id;
    return l_.contiguous(id, id_);
  }

  void keep_product_operands(TensorId a, TensorId b) {
    if (l_.needs_gradient(node_.inputs[1])) l_.save(id_, a);
    if (l_.needs_gradient(node_.inputs[0])) l_.save(id_, b);
  }

  [[nodiscard]] TensorId statistic(Shape shape) {
    const DType data = l_.tensor(in(0)).type.dtype;
    return l_.new_contiguous({data == DType::f64 ? DType::f64 : DType::f32, std::move(shape)});
  }

  void normalised_rows(std::int64_t rows, int statistics, bool keep_copy = false) {
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

  void pooled(PoolKind kind, bool global) {
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

  Lowering& l_;
  NodeId id_;
  const Node& node_;
};

}  // namespace

void lower_forward(Lowering& lowering, NodeId id) {
  std::visit(Forward(lowering, id), lowering.node(id).op);
}

}  // namespace rooflab::schedule
