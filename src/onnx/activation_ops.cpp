// Functions of one element, softmax, and what vanishes in evaluation.
//
// Where ONNX and PyTorch differ in a constant's default, the constant is always kept.
// Softmax before opset 13 works on the input as a matrix, split at `axis` (1 by default): along the
// last axis that is the same, elsewhere the dimensions from `axis` on are merged for it.
// Functions whose constants the graph has no place for (ThresholdedRelu, Shrink, Swish) run as the
// nearest that it has, which costs the same, and say so.
// Source: ONNX operators of the same names, Softmax-11 and Softmax-13.

#include <cmath>

#include "op_table.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/function_facts.hpp"

namespace rooflab::onnx {
namespace {

using graph::UnaryFunction;
using graph::ValueId;

template <UnaryFunction function>
void import_unary(NodeImport& node) {
  node.set_result(0, node.emit(graph::Unary{function}, {node.operand(0)}));
}

/// With the constants that ONNX names `alpha` and `beta`, and their defaults there.
void import_with_constants(NodeImport& node, UnaryFunction function, double alpha,
                           std::optional<double> beta = std::nullopt) {
  graph::Unary op{function};
  op.alpha = node.attributes.number("alpha", alpha);
  if (beta) op.beta = node.attributes.number("beta", *beta);
  node.set_result(0, node.emit(op, {node.operand(0)}));
}

void import_leaky_relu(NodeImport& node) {
  import_with_constants(node, UnaryFunction::leaky_relu, 0.01);
}
void import_elu(NodeImport& node) { import_with_constants(node, UnaryFunction::elu, 1.0); }
void import_celu(NodeImport& node) { import_with_constants(node, UnaryFunction::celu, 1.0); }
void import_hardsigmoid(NodeImport& node) {
  import_with_constants(node, UnaryFunction::hardsigmoid, 0.2, 0.5);
}

/// x above alpha, else 0.
void import_thresholded_relu(NodeImport& node) {
  if (node.attributes.number("alpha", 1.0) != 0.0) node.note_values("runs as relu");
  import_unary<UnaryFunction::relu>(node);
}

/// The graph's constants are those that ONNX has for defaults (Klambauer et al. 2017).
void import_selu(NodeImport& node) {
  const auto differs = [&node](std::string_view name, double published) {
    return std::fabs(node.attributes.number(name, published) - published) > 1e-4;
  };
  if (differs("alpha", 1.67326319217681884765625) || differs("gamma", 1.05070102214813232421875)) {
    node.note_values("with other constants runs with the published ones");
  }
  import_unary<UnaryFunction::selu>(node);
}

/// x - bias above lambd, x + bias below -lambd, 0 between.
void import_shrink(NodeImport& node) {
  node.note_values("runs as clip without bounds");
  import_unary<UnaryFunction::clip>(node);
}

void import_is_inf(NodeImport& node) {
  const bool both = node.attributes.integer("detect_positive", 1) != 0 &&
                    node.attributes.integer("detect_negative", 1) != 0;
  if (!both) node.note_values("of one sign finds both");
  import_unary<UnaryFunction::is_inf>(node);
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
  graph::Unary op{function};
  if (function == UnaryFunction::clip) {
    if (!is_open(low) && !std::isnan(*low)) op.alpha = low;
    if (!is_open(high) && !std::isnan(*high)) op.beta = high;
    if ((low && std::isnan(*low)) || (high && std::isnan(*high))) {
      node.note_values("with bounds known at run time only runs without them");
    }
  }
  const ValueId result = node.emit(op, {node.operand(0)});
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

/// The ratio is an attribute before operator set 12. Evaluation skips the op, whose mask is then
/// all true. A ratio of 0 does nothing (exporters write it within attention), and a constant is not
/// dropped out.
void import_dropout(NodeImport& node) {
  const ValueId x = node.operand(0);
  double ratio = node.attributes.number("ratio", 0.5);
  if (const ConstantTensor* const given = node.data(1); given != nullptr && given->size() == 1) {
    ratio = given->number(0);
  }
  const bool drops = ratio > 0.0 && ratio < 1.0 && !node.facts_of(x).constant;
  node.set_result(0, drops ? node.emit(graph::Dropout{ratio}, {x}) : x);
  if (node.result_count() > 1) {
    const graph::TensorType type{DType::boolean, node.shape_of(x)};
    node.set_result(
        1, node.constant_of_type(type, [type] { return ConstantTensor::filled(type, 1); }));
  }
}

/// x * sigmoid(alpha * x).
void import_swish(NodeImport& node) {
  if (node.attributes.number("alpha", 1.0) != 1.0) node.note_values("runs with alpha = 1");
  node.set_result(0, node.emit(graph::Unary{UnaryFunction::silu}, {node.operand(0)}));
}

}  // namespace

void add_activation_rules(RuleTable& table) {
  add_function_rules<graph::function_rows::unary>(
      table, []<UnaryFunction function>() -> Rule { return import_unary<function>; });
  table["LeakyRelu"] = import_leaky_relu;
  table["ThresholdedRelu"] = import_thresholded_relu;
  table["Elu"] = import_elu;
  table["Selu"] = import_selu;
  table["Celu"] = import_celu;
  table["HardSigmoid"] = import_hardsigmoid;
  table["Shrink"] = import_shrink;
  table["IsInf"] = import_is_inf;
  table["Gelu"] = import_gelu;
  table["Swish"] = import_swish;
  table["Clip"] = import_clip;
  table["Softmax"] = import_softmax;
  table["LogSoftmax"] = import_softmax;
  table["Identity"] = import_identity;
  table["Dropout"] = import_dropout;
}

}  // namespace rooflab::onnx
