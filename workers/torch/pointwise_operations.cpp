// Functions of single elements. Constants that a graph leaves open are PyTorch's defaults.

#include "operations.hpp"

namespace rooflab::torch_worker {
namespace {

using graph::BinaryFunction;
using graph::UnaryFunction;

at::Tensor clipped(const graph::Unary& op, const at::Tensor& x) {
  using Bound = c10::optional<at::Scalar>;
  const Bound low = op.alpha ? Bound(*op.alpha) : c10::nullopt;
  const Bound high = op.beta ? Bound(*op.beta) : c10::nullopt;
  return low || high ? at::clamp(x, low, high) : x.clone();
}

at::Tensor hardsigmoid(const graph::Unary& op, const at::Tensor& x) {
  if (!op.alpha && !op.beta) return at::hardsigmoid(x);
  return at::clamp(x * op.alpha.value_or(1.0 / 6.0) + op.beta.value_or(0.5), 0.0, 1.0);
}

at::Tensor run_in_place(const graph::Unary& op, at::Tensor x) {
  switch (op.function) {
    case UnaryFunction::relu:
      return at::relu_(x);
    case UnaryFunction::relu6:
      return at::hardtanh_(x, 0.0, 6.0);
    case UnaryFunction::leaky_relu:
      return at::leaky_relu_(x, op.alpha.value_or(0.01));
    case UnaryFunction::elu:
      return at::elu_(x, op.alpha.value_or(1.0));
    case UnaryFunction::selu:
      return at::selu_(x);
    case UnaryFunction::celu:
      return at::celu_(x, op.alpha.value_or(1.0));
    case UnaryFunction::silu:
      return at::silu_(x);
    case UnaryFunction::mish:
      return at::mish_(x);
    case UnaryFunction::sigmoid:
      return at::sigmoid_(x);
    case UnaryFunction::hardsigmoid:
      if (!op.alpha && !op.beta) return at::hardsigmoid_(x);
      return x.copy_(hardsigmoid(op, x));
    case UnaryFunction::hardswish:
      return at::hardswish_(x);
    case UnaryFunction::hardtanh:
      return at::hardtanh_(x, op.alpha.value_or(-1.0), op.beta.value_or(1.0));
    case UnaryFunction::tanh:
      return at::tanh_(x);
    default:
      throw Unsupported{"'" + std::string(graph::name_of(op.function)) + "' in place"};
  }
}

at::Tensor prelu_of(const at::Tensor& x, const at::Tensor& slope) {
  return at::where(x >= 0, x, slope * x);
}

/// Functions without a constant, which no network has as an activation.
at::Tensor plain_function(UnaryFunction function, const at::Tensor& x) {
  switch (function) {
    case UnaryFunction::erf:
      return at::erf(x);
    case UnaryFunction::exp:
      return at::exp(x);
    case UnaryFunction::log:
      return at::log(x);
    case UnaryFunction::sqrt:
      return at::sqrt(x);
    case UnaryFunction::rsqrt:
      return at::rsqrt(x);
    case UnaryFunction::reciprocal:
      return at::reciprocal(x);
    case UnaryFunction::square:
      return at::square(x);
    case UnaryFunction::abs:
      return at::abs(x);
    case UnaryFunction::neg:
      return at::neg(x);
    case UnaryFunction::sign:
      return at::sign(x);
    case UnaryFunction::floor:
      return at::floor(x);
    case UnaryFunction::ceil:
      return at::ceil(x);
    case UnaryFunction::round:
      return at::round(x);
    case UnaryFunction::sin:
      return at::sin(x);
    case UnaryFunction::cos:
      return at::cos(x);
    case UnaryFunction::tan:
      return at::tan(x);
    case UnaryFunction::asin:
      return at::asin(x);
    case UnaryFunction::acos:
      return at::acos(x);
    case UnaryFunction::atan:
      return at::atan(x);
    case UnaryFunction::sinh:
      return at::sinh(x);
    case UnaryFunction::cosh:
      return at::cosh(x);
    case UnaryFunction::logical_not:
      return at::logical_not(x);
    case UnaryFunction::bitwise_not:
      return at::bitwise_not(x);
    case UnaryFunction::is_nan:
      return at::isnan(x);
    case UnaryFunction::is_inf:
      return at::isinf(x);
    default:
      throw Unsupported{"'" + std::string(graph::name_of(function)) + "'"};
  }
}

}  // namespace

at::Tensor run(const graph::Unary& op, Operands in, Mode) {
  const at::Tensor& x = in[0];
  if (op.inplace) return run_in_place(op, x);
  switch (op.function) {
    case UnaryFunction::relu:
      return at::relu(x);
    case UnaryFunction::relu6:
      return at::hardtanh(x, 0.0, 6.0);
    case UnaryFunction::leaky_relu:
      return at::leaky_relu(x, op.alpha.value_or(0.01));
    case UnaryFunction::elu:
      return at::elu(x, op.alpha.value_or(1.0));
    case UnaryFunction::selu:
      return at::selu(x);
    case UnaryFunction::celu:
      return at::celu(x, op.alpha.value_or(1.0));
    case UnaryFunction::gelu:
      return at::gelu(x);
    case UnaryFunction::gelu_tanh:
      return at::gelu(x, "tanh");
    case UnaryFunction::silu:
      return at::silu(x);
    case UnaryFunction::mish:
      return at::mish(x);
    case UnaryFunction::sigmoid:
      return at::sigmoid(x);
    case UnaryFunction::hardsigmoid:
      return hardsigmoid(op, x);
    case UnaryFunction::hardswish:
      return at::hardswish(x);
    case UnaryFunction::hardtanh:
      return at::hardtanh(x, op.alpha.value_or(-1.0), op.beta.value_or(1.0));
    case UnaryFunction::tanh:
      return at::tanh(x);
    case UnaryFunction::softplus:
      return at::softplus(x, op.alpha.value_or(1.0), op.beta.value_or(20.0));
    case UnaryFunction::softsign:
      return x / (at::abs(x) + 1);
    case UnaryFunction::prelu_constant:
      return at::leaky_relu(x, op.alpha.value_or(0.25));
    case UnaryFunction::clip:
      return clipped(op, x);
    default:
      return plain_function(op.function, x);
  }
}

at::Tensor run(const graph::Binary& op, Operands in, Mode) {
  const at::Tensor& a = in[0];
  const at::Tensor& b = in[1];
  if (op.inplace) {
    if (op.function == BinaryFunction::add) return a.add_(b);
    if (op.function == BinaryFunction::sub) return a.sub_(b);
    if (op.function == BinaryFunction::mul) return a.mul_(b);
    if (op.function == BinaryFunction::div) return a.div_(b);
    throw Unsupported{"'" + std::string(graph::name_of(op.function)) + "' in place"};
  }
  switch (op.function) {
    case BinaryFunction::add:
      return at::add(a, b);
    case BinaryFunction::sub:
      return at::sub(a, b);
    case BinaryFunction::mul:
      return at::mul(a, b);
    case BinaryFunction::div:
      // Whole numbers are divided as whole numbers, towards zero (ONNX Div).
      if (!at::isFloatingType(a.scalar_type()) && !at::isFloatingType(b.scalar_type())) {
        return at::div(a, b, "trunc");
      }
      return at::div(a, b);
    case BinaryFunction::pow:
      return at::pow(a, b);
    case BinaryFunction::mod:
      return at::remainder(a, b);
    case BinaryFunction::minimum:
      return at::minimum(a, b);
    case BinaryFunction::maximum:
      return at::maximum(a, b);
    case BinaryFunction::prelu:
      return prelu_of(a, b);
    case BinaryFunction::equal:
      return at::eq(a, b);
    case BinaryFunction::not_equal:
      return at::ne(a, b);
    case BinaryFunction::less:
      return at::lt(a, b);
    case BinaryFunction::less_equal:
      return at::le(a, b);
    case BinaryFunction::greater:
      return at::gt(a, b);
    case BinaryFunction::greater_equal:
      return at::ge(a, b);
    case BinaryFunction::logical_and:
      return at::logical_and(a, b);
    case BinaryFunction::logical_or:
      return at::logical_or(a, b);
    case BinaryFunction::logical_xor:
      return at::logical_xor(a, b);
    case BinaryFunction::bitwise_and:
      return at::bitwise_and(a, b);
    case BinaryFunction::bitwise_or:
      return at::bitwise_or(a, b);
    case BinaryFunction::bitwise_xor:
      return at::bitwise_xor(a, b);
    case BinaryFunction::bit_shift:
      throw Unsupported{"a bit shift, whose direction the graph does not keep"};
  }
  throw Unsupported{"an elementwise function"};
}

at::Tensor run(const graph::Where&, Operands in, Mode) { return at::where(in[0], in[1], in[2]); }

at::Tensor run(const graph::Cast& op, Operands in, Mode) { return in[0].to(scalar_type(op.to)); }

at::Tensor run(const graph::Dropout& op, Operands in, Mode mode) {
  at::Tensor x = in[0];
  return op.inplace ? at::dropout_(x, op.p, mode.training) : at::dropout(x, op.p, mode.training);
}

at::Tensor run(const graph::StochasticDepth& op, Operands in, Mode mode) {
  if (!mode.training || op.p == 0.0) return in[0];
  // As torchvision.ops.stochastic_depth in mode "row".
  const double survival = 1.0 - op.p;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(in[0].dim()), 1);
  shape[0] = in[0].size(0);
  at::Tensor noise = at::empty(extents(shape), in[0].options()).bernoulli_(survival);
  if (survival > 0.0) noise.div_(survival);
  return in[0] * noise;
}

Results run_pointwise(const graph::Op& op, Operands in, Mode mode) {
  return graph::visit_families<Results, graph::Family::elementwise>(
      op, [&](const auto& attributes) { return as_list(run(attributes, in, mode)); });
}

}  // namespace rooflab::torch_worker
