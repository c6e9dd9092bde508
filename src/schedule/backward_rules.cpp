// The gradients of a node, op by op.
//
// Nothing is "twice the forward": data gradient and weight gradient are separate entries, and an
// operand that needs no gradient (the network's input) gets none. Views hand the gradient on as a
// view; a sum hands the very same tensor to both operands; a value that feeds several nodes gets
// an `accumulate` for each further gradient (Lowering::give_gradient). Elementwise gradients read
// the arriving gradient and what the forward pass saved. Source: PyTorch's derivative formulas as
// its documentation and a dispatch trace of one step show them (docs/methods/schedule.md).

#include <algorithm>
#include <optional>

#include "lowering.hpp"

namespace rooflab::schedule {
namespace {

using namespace graph;

class Backward {
 public:
  Backward(Lowering& lowering, NodeId id)
      : l_(lowering), id_(id), node_(lowering.node(id)), saved_(lowering.saved(id)) {}

  void operator()(const Conv&) {
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

  void operator()(const Linear&) {
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

  void operator()(const MatMul&) { product(); }
  void operator()(const Einsum&) { product(); }

  // Scores are made again from q and k: five products instead of the forward's two.
  void operator()(const Attention&) {
    std::vector<TensorId> reads = {arriving()};
    reads.insert(reads.end(), saved_.begin(), saved_.end());
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

  // Batch, layer and group norm give the gradients of data, weight and bias in one op.
  void operator()(const BatchNorm&) { normalisation(like_value(arriving())); }
  void operator()(const LayerNorm&) { contiguous_normalisation(); }
  void operator()(const RmsNorm&) { contiguous_normalisation(); }
  void operator()(const GroupNorm&) { contiguous_normalisation(); }
  void operator()(const LocalResponseNorm&) { from_saved(); }

  void operator()(const Unary&) { pointwise(); }

  void operator()(const Binary& op) {
    const TensorId dy = arriving();
    using enum BinaryFunction;
    switch (op.function) {
      case add:
        // A parameter comes last: it takes a copy of what another operand holds.
        if (is_parameter(0)) {
          give(1, dy);
          give(0, dy);
        } else {
          give(0, dy);
          give(1, dy);
        }
        return;
      case sub:
        give(0, dy);
        if (needed(1)) give(1, elementwise({dy}));
        return;
      case mul:
        if (needed(0)) give(0, elementwise({dy, l_.value(node_.inputs[1])}));
        if (needed(1)) give(1, elementwise({dy, l_.value(node_.inputs[0])}));
        return;
      default:
        for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
          if (!needed(i)) continue;
          std::vector<TensorId> reads = {dy};
          reads.insert(reads.end(), saved_.begin(), saved_.end());
          give(i, elementwise(std::move(reads)));
        }
    }
  }

  void operator()(const Where&) {
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      if (needed(i)) give(i, elementwise({arriving(), saved_.front()}));
    }
  }

  void operator()(const Softmax&) { from_saved(); }

  void operator()(const Cast&) {
    const DType source = l_.network().type(node_.inputs[0]).dtype;
    if (is_parameter(0)) l_.set_pass(Pass::weight_gradient);
    give(0, l_.cast(arriving(), source, id_));
  }

  void operator()(const Dropout&) {
    if (saved_.empty()) {
      give(0, arriving());
    } else {
      pointwise();
    }
  }
  void operator()(const StochasticDepth&) { (*this)(Dropout{}); }

  void operator()(const Pool& op) { pooled(op.kind); }
  void operator()(const AdaptivePool& op) {
    if (op.kind == PoolKind::average && saved_.empty()) {
      spread(arriving(), true);
    } else {
      pooled(op.kind);
    }
  }

  void operator()(const Reduce& op) {
    if (op.function != ReduceFunction::mean && op.function != ReduceFunction::sum) {
      from_saved();
      return;
    }
    Shape kept = l_.network().type(node_.inputs[0]).shape;
    for (const std::int64_t axis : op.axes) kept[static_cast<std::size_t>(axis)] = 1;
    spread(l_.reshaped(arriving(), kept, id_), op.function == ReduceFunction::mean);
  }
  void operator()(const CumulativeSum&) { from_saved(); }

  void operator()(const TopK&) {
    const TensorId dx = l_.new_gradient(node_.inputs[0]);
    l_.emit(FillWork{}, id_, {}, {dx});
    l_.emit(NodeWork{}, id_, {arriving(), saved_.front()}, {dx});
    give(0, dx);
  }

  void operator()(const Reshape&) {
    give(0, l_.reshaped(arriving(), l_.network().type(node_.inputs[0]).shape, id_));
  }

  void operator()(const Transpose& op) {
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
  void operator()(const Expand&) { give(0, arriving()); }

  void operator()(const Slice&) {
    if (!needed(0)) return;
    const TensorId dx = l_.new_gradient(
        node_.inputs[0], contiguous_strides(l_.network().type(node_.inputs[0]).shape));
    l_.emit(FillWork{}, id_, {}, {dx});
    const TensorId part = l_.alias(dx, l_.tensor(arriving()).type, l_.tensor(arriving()).strides);
    l_.emit(CopyWork{}, id_, {arriving()}, {part});
    give(0, dx);
  }

  void operator()(const Split&) {
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

  void operator()(const Concat&) {
    const TensorId dy = arriving();
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      if (!needed(i)) continue;
      TensorType type{l_.tensor(dy).type.dtype, l_.network().type(node_.inputs[i]).shape};
      give(i, l_.alias(dy, std::move(type), l_.tensor(dy).strides));
    }
  }

  void operator()(const Gather&) {
    if (!needed(0)) return;
    if (is_parameter(0)) l_.set_pass(Pass::weight_gradient);
    const TensorId dx = l_.new_gradient(node_.inputs[0]);
    l_.emit(FillWork{}, id_, {}, {dx});
    l_.emit(NodeWork{}, id_, {arriving(), saved_.front()}, {dx});
    give(0, dx);
  }
  void operator()(const GatherElements&) { (*this)(Gather{}); }

  void operator()(const Contiguous&) { give(0, arriving()); }
  void operator()(const Pad&) { from_saved(); }
  void operator()(const Scatter&) { from_saved(); }
  void operator()(const Resize&) { from_saved(); }
  void operator()(const Roll&) { from_saved(); }
  void operator()(const Triangle&) { from_saved(); }
  void operator()(const Generate&) {}

  // Its gradient is as unknown as the op itself: one uncounted entry, gradients of the right size.
  void operator()(const Opaque&) {
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

 private:
  [[nodiscard]] TensorId arriving() const { return l_.gradient(node_.outputs[0]); }
  [[nodiscard]] bool needed(std::size_t input) const {
    return l_.needs_gradient(node_.inputs[input]);
  }
  [[nodiscard]] bool is_parameter(std::size_t input) const {
    return l_.network().value(node_.inputs[input]).kind == ValueKind::parameter;
  }
  void give(std::size_t input, TensorId gradient) {
    l_.give_gradient(node_.inputs[input], gradient, id_);
  }

  /// The gradient in the memory order of the node's result.
  [[nodiscard]] TensorId like_value(TensorId dy) {
    const Tensor& result = l_.tensor(l_.value(node_.outputs[0]));
    if (is_channels_last(result.type.shape, result.strides)) return l_.channels_last(dy, id_);
    return l_.contiguous(dy, id_);
  }

  /// dense result of an elementwise gradient op, with the arriving gradient's shape.
  TensorId elementwise(std::vector<TensorId> reads) {
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

  /// Elementwise in the arriving gradient and what was saved.
  void pointwise() {
    if (!needed(0)) return;
    std::vector<TensorId> reads = {arriving()};
    reads.insert(reads.end(), saved_.begin(), saved_.end());
    give(0, elementwise(std::move(reads)));
  }

  /// One op from the arriving gradient and the saved tensors to the first operand's gradient.
  void from_saved() {
    if (!needed(0)) return;
    std::vector<TensorId> reads = {arriving()};
    reads.insert(reads.end(), saved_.begin(), saved_.end());
    const TensorId dx = l_.new_gradient(node_.inputs[0]);
    l_.emit(NodeWork{}, id_, std::move(reads), {dx});
    give(0, dx);
  }

  void pooled(PoolKind kind) {
    // Max pooling reads its indices, not its input; average pooling only the gradient.
    std::vector<TensorId> reads = {like_value(arriving())};
    if (kind == PoolKind::max && !saved_.empty()) reads.push_back(saved_.back());
    if (!needed(0)) return;
    const TensorId dx = l_.new_gradient(node_.inputs[0]);
    l_.emit(NodeWork{}, id_, std::move(reads), {dx});
    give(0, dx);
  }

  /// Gradient of a sum or a mean: the arriving one, extents of 1 repeated, divided for the mean.
  void spread(TensorId dy, bool divide) {
    if (!needed(0)) return;
    const TensorType type{l_.tensor(dy).type.dtype, l_.network().type(node_.inputs[0]).shape};
    Strides strides = l_.tensor(dy).strides;
    for (std::size_t i = 0; i < strides.size(); ++i) {
      if (l_.shape(dy)[i] != type.shape[i]) strides[i] = 0;
    }
    const TensorId repeated = l_.alias(dy, type, std::move(strides));
    give(0, divide ? elementwise({repeated}) : repeated);
  }

  void data_gradient(std::vector<TensorId> reads, Strides strides) {
    if (!needed(0)) return;
    l_.set_pass(Pass::data_gradient);
    const TensorId dx = l_.new_gradient(node_.inputs[0], std::move(strides));
    l_.emit(NodeWork{}, id_, std::move(reads), {dx});
    give(0, dx);
  }

  void weight_gradient(std::vector<TensorId> reads, Strides strides) {
    if (!needed(1)) return;
    l_.set_pass(Pass::weight_gradient);
    const TensorId dw = l_.new_gradient(node_.inputs[1], std::move(strides));
    l_.emit(NodeWork{}, id_, std::move(reads), {dw});
    give(1, dw);
  }

  void bias_gradient(TensorId dy) {
    if (node_.inputs.size() < 3 || !needed(2)) return;
    l_.set_pass(Pass::weight_gradient);
    const TensorId db = l_.new_gradient(node_.inputs[2]);
    l_.emit(BiasGradientWork{}, id_, {dy}, {db});
    give(2, db);
  }

  void product() {
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

  /// Works on contiguous operands and gives a contiguous gradient.
  void contiguous_normalisation() {
    const TensorId dy = l_.contiguous(arriving(), id_);
    saved_.front() = l_.contiguous(saved_.front(), id_);
    normalisation(dy, contiguous_strides(l_.network().type(node_.inputs[0]).shape));
  }

  void normalisation(TensorId dy, std::optional<Strides> strides = std::nullopt) {
    std::vector<TensorId> reads = {dy};
    reads.insert(reads.end(), saved_.begin(), saved_.end());
    std::vector<TensorId> writes;
    std::vector<std::size_t> targets;
    if (node_.inputs.size() > 1) reads.push_back(l_.value(node_.inputs[1]));
    for (std::size_t i = 0; i < std::min<std::size_t>(node_.inputs.size(), 3); ++i) {
      if (!needed(i)) continue;
      writes.push_back(i == 0 && strides ? l_.new_gradient(node_.inputs[i], *strides)
                                         : l_.new_gradient(node_.inputs[i]));
      targets.push_back(i);
    }
    l_.emit(NodeWork{}, id_, std::move(reads), writes);
    for (std::size_t i = 0; i < targets.size(); ++i) give(targets[i], writes[i]);
  }

  Lowering& l_;
  NodeId id_;
  const Node& node_;
  // A copy: rules emit tensors while they read it.
  std::vector<TensorId> saved_;
};

}  // namespace

void lower_backward(Lowering& lowering, NodeId id) {
  std::visit(Backward(lowering, id), lowering.node(id).op);
}

}  // namespace rooflab::schedule
