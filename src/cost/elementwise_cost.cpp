// Elementwise ops: vector FLOPs per result element.
//
// One addition, multiplication, comparison or elementary function (exp, log, erf, tanh, sqrt,
// division, power, ...) is one FLOP. A function's figure is the number of those in its definition
// (PyTorch documentation, torch.nn activations):
//
//   relu max(x,0) 1; clip, hardtanh, relu6 2; leaky relu 2 (compare, multiply)
//   sigmoid 1/(1+exp(-x)) 4; silu x*sigmoid 5; softplus log(1+exp(x)) 3; mish x*tanh(softplus) 5
//   hardsigmoid clip(x+3)/6 4; hardswish x*hardsigmoid 5; elu, selu, celu 4
//   gelu 0.5x(1+erf(x/sqrt2)) 5; gelu (tanh) 0.5x(1+tanh(c(x+0.044715x^3))) 9
//   everything else: one function, 1. Moving or testing bits (cast, where, not) is no arithmetic:
//   0.
//
// Backward, the derivative times the arriving gradient:
//   relu, clip: 1 (a masked gradient); sigmoid dy*y*(1-y) 3; tanh dy*(1-y^2) 3; exp, sqrt, abs,
//   log, ... 2; silu 7 (sigmoid 4, then s(1+x(1-s)) 4, times dy; shared terms once); hardswish 4;
//   gelu 10 (erf part 4, density 4, sum, times dy); gelu (tanh) 18 (the function's inner terms
//   again and its derivative); elu, softplus 3; mish 10. Multiplication by another operand 1,
//   division 1 to the numerator, 3 to the denominator, power 3.
// Dropout and stochastic depth: keep and scale, 2 (1 with ready noise); backward 2 (1).

#include "rules.hpp"

namespace rooflab::cost {
namespace {

using namespace graph;

struct Figures {
  int forward;
  int backward;
};

Figures figures_of(UnaryFunction function) {
  using enum UnaryFunction;
  switch (function) {
    case relu:
      return {1, 1};
    case relu6:
    case hardtanh:
    case clip:
      return {2, 1};
    case leaky_relu:
    case prelu_constant:
      return {2, 2};
    case elu:
    case selu:
    case celu:
      return {4, 3};
    case gelu:
      return {5, 10};
    case gelu_tanh:
      return {9, 18};
    case silu:
      return {5, 7};
    case mish:
      return {5, 10};
    case sigmoid:
      return {4, 3};
    case hardsigmoid:
      return {4, 2};
    case hardswish:
      return {5, 4};
    case softplus:
      return {3, 3};
    case softsign:
      return {3, 4};
    case tanh:
      return {1, 3};
    case logical_not:
    case bitwise_not:
    case is_nan:
    case is_inf:
      return {0, 0};
    case neg:
      return {1, 1};
    default:
      return {1, 2};
  }
}

int backward_figure(BinaryFunction function) {
  using enum BinaryFunction;
  switch (function) {
    case div:
    case pow:
      return 3;
    default:
      return 1;
  }
}

bool is_logic(BinaryFunction function) {
  using enum BinaryFunction;
  switch (function) {
    case logical_and:
    case logical_or:
    case logical_xor:
    case bitwise_and:
    case bitwise_or:
    case bitwise_xor:
    case bit_shift:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<Arithmetic> elementwise_arithmetic(const Entry& entry) {
  const std::int64_t elements = entry.output_elements();
  const Op& op = entry.node.op;
  if (const auto* unary = std::get_if<Unary>(&op)) {
    const Figures figures = figures_of(unary->function);
    return vector_work(elements, entry.forward() ? figures.forward : figures.backward);
  }
  if (const auto* binary = std::get_if<Binary>(&op)) {
    if (!entry.forward()) return vector_work(elements, backward_figure(binary->function));
    return vector_work(elements, is_logic(binary->function) ? 0 : 1);
  }
  if (const auto* dropout = std::get_if<Dropout>(&op)) {
    return vector_work(elements, dropout->inplace ? 1 : 2);
  }
  if (std::holds_alternative<StochasticDepth>(op)) return vector_work(elements, 1);
  if (std::holds_alternative<Where>(op) || std::holds_alternative<Cast>(op)) {
    return vector_work(elements, 0);
  }
  return std::nullopt;
}

}  // namespace rooflab::cost
