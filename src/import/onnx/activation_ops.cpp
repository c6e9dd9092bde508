// Functions of one element, softmax, and what vanishes in evaluation.
//
// Parameters of an activation (a slope, a threshold) do not change its cost and are not kept.
// Softmax before opset 13 works on the input as a matrix, split at `axis` (1 by default): along the
// last axis that is the same, elsewhere the dimensions from `axis` on are merged for it.
// Source: ONNX operators of the same names, Softmax-11 and Softmax-13.

#include <cmath>

#include "op_table.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::onnx {
namespace {

using graph::UnaryFunction;
using graph::ValueId;

template <UnaryFunction function>
void import_unary(NodeImport& node) {
  node.set_result(0, node.emit(graph::Unary{function}, {node.operand(0)}));
}

void import_gelu(NodeImport& node) {
  const bool tanh = node.attributes.text("approximate", "none") == "tanh";
  const auto function = tanh ? UnaryFunction::gelu_tanh : UnaryFunction::gelu;
  node.set_result(0, node.emit(graph::Unary{function}, {node.operand(0)}));
}

/// A bound of a Clip: nothing when absent, NaN when only known at run time.
std::optional<double> bound(const NodeImport& node, std::string_view attribute, std::size_t i) {
  if (node.attributes.has(attribute)) return node.attributes.number(attribute, 0.0);
  if (!node.has(i)) return std::nullopt;
  const ConstantTensor* known = node.data(i);
  return known != nullptr && known->size() == 1 ? known->number(0) : std::nan("");
}

void import_clip(NodeImport& node) {
  // The oldest exporters write the largest float for "no bound".
  const auto is_open = [](std::optional<double> value) {
    return !value || std::fabs(*value) >= 3.4e38;
  };
  const std::optional<double> low = bound(node, "min", 1);
  const std::optional<double> high = bound(node, "max", 2);
  auto function = UnaryFunction::clip;
  if (low == 0.0 && high == 6.0) function = UnaryFunction::relu6;
  if (low == 0.0 && is_open(high)) function = UnaryFunction::relu;
  const ConstantTensor* known = node.data(0);
  std::optional<ConstantTensor> clipped;
  if (known != nullptr && !(low && std::isnan(*low)) && !(high && std::isnan(*high))) {
    clipped = ConstantTensor::empty(known->type);
    for (std::size_t i = 0; i < known->size(); ++i) {
      double value = known->number(i);
      if (low) value = std::fmax(value, *low);
      if (high) value = std::fmin(value, *high);
      clipped->push(value);
    }
  }
  const ValueId result = node.emit(graph::Unary{function}, {node.operand(0)});
  if (clipped) node.set_data(result, std::move(*clipped));
  node.set_result(0, result);
}

void import_softmax(NodeImport& node) {
  const bool log = node.op_type() == "LogSoftmax";
  const ValueId x = node.operand(0);
  const graph::Shape shape = node.shape_of(x);
  const std::int64_t otherwise = node.opset() >= 13 ? -1 : 1;
  const std::int64_t given = node.attributes.integer("axis", otherwise);
  const auto axis = static_cast<std::int64_t>(node.axis(given, shape.rank()));
  const bool last = axis + 1 == static_cast<std::int64_t>(shape.rank());
  if (node.opset() >= 13 || last) {
    return node.set_result(0, node.emit(graph::Softmax{axis, log}, {x}));
  }
  std::vector<std::int64_t> matrix(shape.dims().begin(), shape.dims().begin() + axis);
  matrix.push_back(-1);
  const ValueId merged = node.emit(graph::Reshape{std::move(matrix)}, {x});
  const ValueId result = node.emit(graph::Softmax{axis, log}, {merged});
  node.set_result(0, node.reshape(result, shape.dims()));
}

void import_identity(NodeImport& node) { node.set_result(0, node.operand(0)); }

/// An exported network is an evaluated one: Dropout passes its input on; its mask is all true.
void import_dropout(NodeImport& node) {
  const ValueId x = node.operand(0);
  node.set_result(0, x);
  if (node.result_count() > 1) {
    node.set_result(1, node.constant_of_type({DType::boolean, node.shape_of(x)}));
  }
}

/// x * sigmoid(alpha * x).
void import_swish(NodeImport& node) {
  node.set_result(0, node.emit(graph::Unary{UnaryFunction::silu}, {node.operand(0)}));
}

}  // namespace

void add_activation_rules(RuleTable& table) {
  using enum UnaryFunction;
  table["Relu"] = import_unary<relu>;
  table["LeakyRelu"] = import_unary<leaky_relu>;
  table["ThresholdedRelu"] = import_unary<relu>;
  table["Elu"] = import_unary<elu>;
  table["Selu"] = import_unary<selu>;
  table["Celu"] = import_unary<celu>;
  table["Mish"] = import_unary<mish>;
  table["Sigmoid"] = import_unary<sigmoid>;
  table["HardSigmoid"] = import_unary<hardsigmoid>;
  table["HardSwish"] = import_unary<hardswish>;
  table["Tanh"] = import_unary<tanh>;
  table["Softplus"] = import_unary<softplus>;
  table["Softsign"] = import_unary<softsign>;
  table["Shrink"] = import_unary<clip>;
  table["Erf"] = import_unary<erf>;
  table["Exp"] = import_unary<exp>;
  table["Log"] = import_unary<log>;
  table["Sqrt"] = import_unary<sqrt>;
  table["Reciprocal"] = import_unary<reciprocal>;
  table["Abs"] = import_unary<abs>;
  table["Neg"] = import_unary<neg>;
  table["Sign"] = import_unary<sign>;
  table["Floor"] = import_unary<floor>;
  table["Ceil"] = import_unary<ceil>;
  table["Round"] = import_unary<round>;
  table["Sin"] = import_unary<sin>;
  table["Cos"] = import_unary<cos>;
  table["Tan"] = import_unary<tan>;
  table["Asin"] = import_unary<asin>;
  table["Acos"] = import_unary<acos>;
  table["Atan"] = import_unary<atan>;
  table["Sinh"] = import_unary<sinh>;
  table["Cosh"] = import_unary<cosh>;
  table["Not"] = import_unary<logical_not>;
  table["BitwiseNot"] = import_unary<bitwise_not>;
  table["IsNaN"] = import_unary<is_nan>;
  table["IsInf"] = import_unary<is_inf>;
  table["Gelu"] = import_gelu;
  table["Swish"] = import_swish;
  table["Clip"] = import_clip;
  table["Softmax"] = import_softmax;
  table["LogSoftmax"] = import_softmax;
  table["Identity"] = import_identity;
  table["Dropout"] = import_dropout;
}

}  // namespace rooflab::onnx
