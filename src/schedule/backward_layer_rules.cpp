// Gradients of normalisation and elementwise ops.

#include <algorithm>
#include <optional>

#include "backward_rules.hpp"

namespace rooflab::schedule {

using namespace graph;

// Batch, layer and group norm give the gradients of data, weight and bias in one op.
template <>
void BackwardRules::operator()(const BatchNorm&) {
  normalisation(like_value(arriving()));
}

template <>
void BackwardRules::operator()(const LayerNorm&) {
  contiguous_normalisation();
}

template <>
void BackwardRules::operator()(const RmsNorm&) {
  contiguous_normalisation();
}

template <>
void BackwardRules::operator()(const GroupNorm&) {
  contiguous_normalisation();
}

template <>
void BackwardRules::operator()(const LocalResponseNorm&) {
  from_saved();
}

template <>
void BackwardRules::operator()(const Unary&) {
  pointwise();
}

template <>
void BackwardRules::operator()(const Binary& op) {
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
    case div:
    case pow:
    case mod:
    case minimum:
    case maximum:
    case prelu:
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
  for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
    if (needed(i)) give(i, elementwise(with_saved(dy)));
  }
}

template <>
void BackwardRules::operator()(const Where&) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (needed(i)) give(i, elementwise({arriving(), saved_.front()}));
  }
}

template <>
void BackwardRules::operator()(const Softmax&) {
  from_saved();
}

template <>
void BackwardRules::operator()(const Cast&) {
  const DType source = l_.network().type(node_.inputs[0]).dtype;
  if (is_parameter(0)) l_.set_pass(Pass::weight_gradient);
  give(0, l_.cast(arriving(), source, id_));
}

template <>
void BackwardRules::operator()(const Dropout&) {
  if (saved_.empty()) {
    give(0, arriving());
  } else {
    pointwise();
  }
}

template <>
void BackwardRules::operator()(const StochasticDepth&) {
  (*this)(Dropout{});
}

void BackwardRules::contiguous_normalisation() {
  const TensorId dy = l_.contiguous(arriving(), id_);
  saved_.front() = l_.contiguous(saved_.front(), id_);
  normalisation(dy, contiguous_strides(l_.network().type(node_.inputs[0]).shape));
}

void BackwardRules::normalisation(TensorId dy, std::optional<Strides> strides) {
  std::vector<TensorId> reads = with_saved(dy);
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

void lower_layer_backward(Lowering& lowering, NodeId id) {
  visit_families<void, Family::normalisation, Family::elementwise>(lowering.node(id).op,
                                                                   BackwardRules(lowering, id));
}

}  // namespace rooflab::schedule
