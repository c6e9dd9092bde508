#include "rooflab/analyze/op_class.hpp"

namespace rooflab::analyze {
namespace {

bool is_activation(graph::UnaryFunction function) {
  using enum graph::UnaryFunction;
  switch (function) {
    case relu:
    case relu6:
    case leaky_relu:
    case elu:
    case selu:
    case celu:
    case gelu:
    case gelu_tanh:
    case silu:
    case mish:
    case sigmoid:
    case hardsigmoid:
    case hardswish:
    case hardtanh:
    case tanh:
    case softplus:
    case softsign:
    case prelu_constant:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string_view name_of(OpClass op_class) {
  constexpr std::array<std::string_view, 11> names = {
      "convolution", "linear and matmul", "attention",   "normalisation",
      "activation",  "pooling",           "elementwise", "copy",
      "loss",        "optimizer",         "other"};
  return names.at(static_cast<std::size_t>(op_class));
}

OpClass op_class_of(const graph::Op& op) {
  using namespace graph;
  return std::visit(Overloaded{
                        [](const Conv&) { return OpClass::convolution; },
                        [](const Linear&) { return OpClass::matmul; },
                        [](const MatMul&) { return OpClass::matmul; },
                        [](const Einsum&) { return OpClass::matmul; },
                        [](const Attention&) { return OpClass::attention; },
                        [](const BatchNorm&) { return OpClass::normalisation; },
                        [](const LayerNorm&) { return OpClass::normalisation; },
                        [](const RmsNorm&) { return OpClass::normalisation; },
                        [](const GroupNorm&) { return OpClass::normalisation; },
                        [](const LocalResponseNorm&) { return OpClass::normalisation; },
                        [](const Unary& unary) {
                          return is_activation(unary.function) ? OpClass::activation
                                                               : OpClass::elementwise;
                        },
                        [](const Binary& binary) {
                          return binary.function == BinaryFunction::prelu ? OpClass::activation
                                                                          : OpClass::elementwise;
                        },
                        [](const Where&) { return OpClass::elementwise; },
                        [](const Softmax&) { return OpClass::activation; },
                        [](const Dropout&) { return OpClass::elementwise; },
                        [](const StochasticDepth&) { return OpClass::elementwise; },
                        [](const Pool&) { return OpClass::pooling; },
                        [](const AdaptivePool&) { return OpClass::pooling; },
                        [](const Reduce&) { return OpClass::pooling; },
                        [](const CumulativeSum&) { return OpClass::pooling; },
                        [](const TopK&) { return OpClass::pooling; },
                        [](const Opaque&) { return OpClass::other; },
                        [](const auto&) { return OpClass::copy; },
                    },
                    op);
}

OpClass op_class_of_row(std::string_view name) {
  if (name == "(loss)") return OpClass::loss;
  if (name == "(optimizer)") return OpClass::optimizer;
  return OpClass::other;
}

}  // namespace rooflab::analyze
