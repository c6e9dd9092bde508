#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "rooflab/graph/op.hpp"
#include "rooflab/graph/op_kinds.hpp"

/// One row of facts for each function of Unary, Binary and Reduce. Adding a function is one
/// enumerator, one row here, and its execution in the worker.
///
/// FLOPs per element of the result. One addition, multiplication, comparison or elementary function
/// (exp, log, erf, tanh, sqrt, division, power, ...) is one FLOP. A function's figure is the number
/// of those in its definition (PyTorch documentation, torch.nn activations):
///
///   relu max(x,0) 1; clip, hardtanh, relu6 2; leaky relu 2 (compare, multiply)
///   sigmoid 1/(1+exp(-x)) 4; silu x*sigmoid 5; softplus log(1+exp(x)) 3; mish x*tanh(softplus) 5
///   hardsigmoid clip(x+3)/6 4; hardswish x*hardsigmoid 5; elu, selu, celu 4
///   gelu 0.5x(1+erf(x/sqrt2)) 5; gelu (tanh) 0.5x(1+tanh(c(x+0.044715x^3))) 9
///   everything else: one function, 1. Moving or testing bits (not, and, is_nan) is not arithmetic:
///   0.
///
/// Backward, the derivative times the arriving gradient:
///   relu, clip: 1 (a masked gradient); sigmoid dy*y*(1-y) 3; tanh dy*(1-y^2) 3; exp, sqrt, abs,
///   log, ... 2; silu 7 (sigmoid 4, then s(1+x(1-s)) 4, times dy; shared terms once); hardswish 4;
///   gelu 10 (erf part 4, density 4, sum, times dy); gelu (tanh) 18 (the function's inner terms
///   again and its derivative); elu, softplus 3; mish 10. Multiplication by another operand 1,
///   division 1 to the numerator, 3 to the denominator, power 3.
///
/// Autocast: PyTorch's documentation, "CUDA Ops that can autocast to float16" and "to float32".
///
/// Convention: functions that hardware counters (additions, multiplications and fused multiply-adds
/// only) deliberately count differently.
///
/// `onnx` is the operator that this function alone is, without attributes to read; empty where the
/// importer has a separate rule or ONNX has no such operator.
namespace rooflab::graph {

struct UnaryFacts {
  UnaryFunction function = {};
  std::string_view name = {};
  PerElement flops = {};
  OpClass op_class = {};
  Autocast autocast = {};
  Convention convention = {};
  std::string_view onnx = {};
};

struct BinaryFacts {
  BinaryFunction function = {};
  std::string_view name = {};
  PerElement flops = {};
  OpClass op_class = {};
  Autocast autocast = {};
  Convention convention = {};
  std::string_view onnx = {};
};

struct ReduceFacts {
  ReduceFunction function = {};
  std::string_view name = {};
  Autocast autocast = {};
  std::string_view onnx = {};
};

namespace function_rows {

using enum OpClass;
using enum Autocast;
using enum Convention;

// clang-format off
inline constexpr std::array unary = {
    UnaryFacts{UnaryFunction::relu, "relu", {1, 1}, activation, as_is, comparison, "Relu"},
    UnaryFacts{UnaryFunction::relu6, "relu6", {2, 1}, activation, as_is, comparison},
    UnaryFacts{UnaryFunction::leaky_relu, "leaky_relu", {2, 2}, activation, as_is, comparison},
    UnaryFacts{UnaryFunction::elu, "elu", {4, 3}, activation, as_is, elementary},
    UnaryFacts{UnaryFunction::selu, "selu", {4, 3}, activation, as_is, elementary},
    UnaryFacts{UnaryFunction::celu, "celu", {4, 3}, activation, as_is, elementary},
    UnaryFacts{UnaryFunction::gelu, "gelu", {5, 10}, activation, as_is, elementary},
    UnaryFacts{UnaryFunction::gelu_tanh, "gelu_tanh", {9, 18}, activation, as_is, elementary},
    UnaryFacts{UnaryFunction::silu, "silu", {5, 7}, activation, as_is, elementary},
    UnaryFacts{UnaryFunction::mish, "mish", {5, 10}, activation, as_is, elementary, "Mish"},
    UnaryFacts{UnaryFunction::sigmoid, "sigmoid", {4, 3}, activation, as_is, elementary, "Sigmoid"},
    UnaryFacts{UnaryFunction::hardsigmoid, "hardsigmoid", {4, 2}, activation, as_is, elementary},
    UnaryFacts{UnaryFunction::hardswish, "hardswish", {5, 4}, activation, as_is, elementary,
               "HardSwish"},
    UnaryFacts{UnaryFunction::hardtanh, "hardtanh", {2, 1}, activation, as_is, comparison},
    UnaryFacts{UnaryFunction::tanh, "tanh", {1, 3}, activation, as_is, elementary, "Tanh"},
    UnaryFacts{UnaryFunction::softplus, "softplus", {3, 3}, activation, full, elementary,
               "Softplus"},
    UnaryFacts{UnaryFunction::softsign, "softsign", {3, 4}, activation, as_is, elementary,
               "Softsign"},
    UnaryFacts{UnaryFunction::prelu_constant, "prelu_constant", {2, 2}, activation, as_is,
               comparison},
    UnaryFacts{UnaryFunction::erf, "erf", {1, 2}, elementwise, as_is, elementary, "Erf"},
    UnaryFacts{UnaryFunction::exp, "exp", {1, 2}, elementwise, full, elementary, "Exp"},
    UnaryFacts{UnaryFunction::log, "log", {1, 2}, elementwise, full, elementary, "Log"},
    UnaryFacts{UnaryFunction::sqrt, "sqrt", {1, 2}, elementwise, as_is, elementary, "Sqrt"},
    UnaryFacts{UnaryFunction::rsqrt, "rsqrt", {1, 2}, elementwise, full, elementary},
    UnaryFacts{UnaryFunction::reciprocal, "reciprocal", {1, 2}, elementwise, full, elementary,
               "Reciprocal"},
    UnaryFacts{UnaryFunction::square, "square", {1, 2}, elementwise, as_is, none},
    UnaryFacts{UnaryFunction::abs, "abs", {1, 2}, elementwise, as_is, comparison, "Abs"},
    UnaryFacts{UnaryFunction::neg, "neg", {1, 1}, elementwise, as_is, comparison, "Neg"},
    UnaryFacts{UnaryFunction::sign, "sign", {1, 2}, elementwise, as_is, comparison, "Sign"},
    UnaryFacts{UnaryFunction::floor, "floor", {1, 2}, elementwise, as_is, none, "Floor"},
    UnaryFacts{UnaryFunction::ceil, "ceil", {1, 2}, elementwise, as_is, none, "Ceil"},
    UnaryFacts{UnaryFunction::round, "round", {1, 2}, elementwise, as_is, none, "Round"},
    UnaryFacts{UnaryFunction::sin, "sin", {1, 2}, elementwise, as_is, elementary, "Sin"},
    UnaryFacts{UnaryFunction::cos, "cos", {1, 2}, elementwise, as_is, elementary, "Cos"},
    UnaryFacts{UnaryFunction::tan, "tan", {1, 2}, elementwise, full, elementary, "Tan"},
    UnaryFacts{UnaryFunction::asin, "asin", {1, 2}, elementwise, full, elementary, "Asin"},
    UnaryFacts{UnaryFunction::acos, "acos", {1, 2}, elementwise, full, elementary, "Acos"},
    UnaryFacts{UnaryFunction::atan, "atan", {1, 2}, elementwise, as_is, elementary, "Atan"},
    UnaryFacts{UnaryFunction::sinh, "sinh", {1, 2}, elementwise, full, elementary, "Sinh"},
    UnaryFacts{UnaryFunction::cosh, "cosh", {1, 2}, elementwise, full, elementary, "Cosh"},
    UnaryFacts{UnaryFunction::logical_not, "logical_not", {0, 0}, elementwise, as_is, elementary,
               "Not"},
    UnaryFacts{UnaryFunction::bitwise_not, "bitwise_not", {0, 0}, elementwise, as_is, elementary,
               "BitwiseNot"},
    UnaryFacts{UnaryFunction::clip, "clip", {2, 1}, elementwise, as_is, comparison},
    UnaryFacts{UnaryFunction::is_nan, "is_nan", {0, 0}, elementwise, as_is, elementary, "IsNaN"},
    UnaryFacts{UnaryFunction::is_inf, "is_inf", {0, 0}, elementwise, as_is, elementary},
};

inline constexpr std::array binary = {
    BinaryFacts{BinaryFunction::add, "add", {1, 1}, elementwise, as_is, none, "Add"},
    BinaryFacts{BinaryFunction::sub, "sub", {1, 1}, elementwise, as_is, none, "Sub"},
    BinaryFacts{BinaryFunction::mul, "mul", {1, 1}, elementwise, as_is, none, "Mul"},
    BinaryFacts{BinaryFunction::div, "div", {1, 3}, elementwise, as_is, elementary, "Div"},
    BinaryFacts{BinaryFunction::pow, "pow", {1, 3}, elementwise, full, elementary, "Pow"},
    BinaryFacts{BinaryFunction::mod, "mod", {1, 1}, elementwise, as_is, none},
    BinaryFacts{BinaryFunction::minimum, "minimum", {1, 1}, elementwise, as_is, none},
    BinaryFacts{BinaryFunction::maximum, "maximum", {1, 1}, elementwise, as_is, none},
    BinaryFacts{BinaryFunction::prelu, "prelu", {1, 1}, activation, low, none, "PRelu"},
    BinaryFacts{BinaryFunction::equal, "equal", {1, 1}, elementwise, as_is, none, "Equal"},
    BinaryFacts{BinaryFunction::not_equal, "not_equal", {1, 1}, elementwise, as_is, none},
    BinaryFacts{BinaryFunction::less, "less", {1, 1}, elementwise, as_is, none, "Less"},
    BinaryFacts{BinaryFunction::less_equal, "less_equal", {1, 1}, elementwise, as_is, none,
                "LessOrEqual"},
    BinaryFacts{BinaryFunction::greater, "greater", {1, 1}, elementwise, as_is, none, "Greater"},
    BinaryFacts{BinaryFunction::greater_equal, "greater_equal", {1, 1}, elementwise, as_is, none,
                "GreaterOrEqual"},
    BinaryFacts{BinaryFunction::logical_and, "logical_and", {0, 1}, elementwise, as_is, none,
                "And"},
    BinaryFacts{BinaryFunction::logical_or, "logical_or", {0, 1}, elementwise, as_is, none, "Or"},
    BinaryFacts{BinaryFunction::logical_xor, "logical_xor", {0, 1}, elementwise, as_is, none,
                "Xor"},
    BinaryFacts{BinaryFunction::bitwise_and, "bitwise_and", {0, 1}, elementwise, as_is, none,
                "BitwiseAnd"},
    BinaryFacts{BinaryFunction::bitwise_or, "bitwise_or", {0, 1}, elementwise, as_is, none,
                "BitwiseOr"},
    BinaryFacts{BinaryFunction::bitwise_xor, "bitwise_xor", {0, 1}, elementwise, as_is, none,
                "BitwiseXor"},
    BinaryFacts{BinaryFunction::bit_shift, "bit_shift", {0, 1}, elementwise, as_is, none,
                "BitShift"},
};

inline constexpr std::array reduce = {
    ReduceFacts{ReduceFunction::mean, "mean", as_is, "ReduceMean"},
    ReduceFacts{ReduceFunction::sum, "sum", full, "ReduceSum"},
    ReduceFacts{ReduceFunction::maximum, "maximum", as_is, "ReduceMax"},
    ReduceFacts{ReduceFunction::minimum, "minimum", as_is, "ReduceMin"},
    ReduceFacts{ReduceFunction::product, "product", full, "ReduceProd"},
    ReduceFacts{ReduceFunction::l1, "l1", full, "ReduceL1"},
    ReduceFacts{ReduceFunction::l2, "l2", full_result, "ReduceL2"},
    ReduceFacts{ReduceFunction::log_sum_exp, "log_sum_exp", full, "ReduceLogSumExp"},
    ReduceFacts{ReduceFunction::sum_square, "sum_square", full, "ReduceSumSquare"},
    ReduceFacts{ReduceFunction::log_sum, "log_sum", full, "ReduceLogSum"},
    ReduceFacts{ReduceFunction::arg_max, "arg_max", as_is},
    ReduceFacts{ReduceFunction::arg_min, "arg_min", as_is},
};
// clang-format on

/// Whether the rows are in the order of their enumeration.
template <class Rows>
constexpr bool in_order(const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].function) != i) return false;
  }
  return true;
}
static_assert(in_order(unary) && in_order(binary) && in_order(reduce));
static_assert(unary.back().function == UnaryFunction::is_inf);
static_assert(binary.back().function == BinaryFunction::bit_shift);
static_assert(reduce.back().function == ReduceFunction::arg_min);

}  // namespace function_rows

constexpr const UnaryFacts& facts_of(UnaryFunction function) {
  return function_rows::unary[static_cast<std::size_t>(function)];
}
constexpr const BinaryFacts& facts_of(BinaryFunction function) {
  return function_rows::binary[static_cast<std::size_t>(function)];
}
constexpr const ReduceFacts& facts_of(ReduceFunction function) {
  return function_rows::reduce[static_cast<std::size_t>(function)];
}

}  // namespace rooflab::graph
