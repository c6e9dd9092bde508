// Type rules of normalisation and elementwise ops: the shape stays, or operands broadcast.

#include "base/format.hpp"
#include "type_rules.hpp"

namespace rooflab::graph {

std::vector<TensorType> infer(const BatchNorm&, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(inputs.size() == 5, "batch norm takes input, weight, bias, running mean and variance");
  require(x.shape.rank() >= 2, "batch norm needs a channel dimension");
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    require(inputs[i].shape.elements() == x.shape[1], [&] {
      return format("batch norm of {} channels gets {} values", x.shape[1],
                    inputs[i].shape.elements());
    });
  }
  return {x};
}

std::vector<TensorType> infer(const LayerNorm& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(
      op.normalized_rank >= 1 && op.normalized_rank <= static_cast<std::int64_t>(x.shape.rank()),
      [&] {
        return format("layer norm over {} of {} dimensions", op.normalized_rank, x.shape.rank());
      });
  return {x};
}

std::vector<TensorType> infer(const RmsNorm&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer(const GroupNorm& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(x.shape.rank() >= 2 && op.groups > 0 && x.shape[1] % op.groups == 0,
          [&] { return format("group norm of {} in {} groups", x.shape.to_string(), op.groups); });
  return {x};
}

std::vector<TensorType> infer(const LocalResponseNorm&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer(const Unary& op, Types inputs) {
  TensorType x = operand(inputs, 0, "input");
  using enum UnaryFunction;
  if (op.function == logical_not || op.function == is_nan || op.function == is_inf) {
    x.dtype = DType::boolean;
  }
  return {x};
}

std::vector<TensorType> infer(const Binary& op, Types inputs) {
  const TensorType& a = operand(inputs, 0, "left operand");
  const TensorType& b = operand(inputs, 1, "right operand");
  const Shape shape = broadcast(a.shape, b.shape);
  require(!op.inplace || shape == a.shape, "an in-place result must have its operand's shape");
  if (is_comparison(op.function)) return {{DType::boolean, shape}};
  // A scalar does not widen a tensor of the same category (PyTorch, type promotion).
  const bool scalar_a = a.shape.rank() == 0 && b.shape.rank() > 0;
  const bool scalar_b = b.shape.rank() == 0 && a.shape.rank() > 0;
  DType dtype = promote(a.dtype, b.dtype);
  if (scalar_a && is_floating(a.dtype) == is_floating(b.dtype)) dtype = b.dtype;
  if ((scalar_b && is_floating(a.dtype) == is_floating(b.dtype)) || op.inplace) dtype = a.dtype;
  return {{dtype, shape}};
}

std::vector<TensorType> infer(const Where&, Types inputs) {
  const TensorType& condition = operand(inputs, 0, "condition");
  const TensorType& x = operand(inputs, 1, "first choice");
  const TensorType& y = operand(inputs, 2, "second choice");
  return {{promote(x.dtype, y.dtype), broadcast(condition.shape, broadcast(x.shape, y.shape))}};
}

std::vector<TensorType> infer(const Softmax& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  (void)normalised_axis(op.axis, x.shape.rank());
  return {x};
}

std::vector<TensorType> infer(const Cast& op, Types inputs) {
  return {{op.to, operand(inputs, 0, "input").shape}};
}

std::vector<TensorType> infer(const Dropout&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer(const StochasticDepth&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer_pointwise(const Op& op, Types inputs) {
  return visit_families<std::vector<TensorType>, Family::normalisation, Family::elementwise>(
      op, [inputs](const auto& attributes) { return infer(attributes, inputs); });
}

}  // namespace rooflab::graph
