// The forms that the exporters write, from the last node backwards:
//
//     gelu       (x * (erf(x / sqrt(2)) + 1)) * 0.5
//     gelu_tanh  (x * (tanh((x + x^3 * 0.044715) * sqrt(2 / pi)) + 1)) * 0.5
//     silu       x * sigmoid(x)
//     hardswish  x * hardsigmoid(x), slope 1/6, offset 1/2
//     mish       x * tanh(softplus(x))
//
// The last two factors of GELU tell an exporter's from a network's own: code that computes GELU by
// hand multiplies x by 0.5 first (transformers' NewGELUActivation), and eager runs that op by op.
// Source: PyTorch 2.11, torch/onnx/symbolic_opset9.py (gelu, silu, mish, hardswish); onnxscript,
// torch_lib/ops/nn.py (aten_gelu, aten_silu, aten_mish, aten_hardswish).

#include "activation_join.hpp"

#include <cmath>
#include <numbers>
#include <optional>

#include "graph_cleanup.hpp"
#include "pattern.hpp"

namespace rooflab::onnx {
namespace {

using graph::BinaryFunction;
using graph::Node;
using graph::UnaryFunction;
using graph::ValueId;

struct Activation {
  UnaryFunction function = UnaryFunction::relu;
  ValueId x = -1;
};

class ActivationFinder {
 public:
  explicit ActivationFinder(const Pattern& pattern) : pattern_(pattern) {}

  [[nodiscard]] std::optional<Activation> find(const Node& node) const {
    if (!is_function(&node, BinaryFunction::mul)) return std::nullopt;
    if (const auto doubled = pattern_.operand_beside(&node, BinaryFunction::mul, 0.5)) {
      return gelu(pattern_.only_maker(*doubled));
    }
    for (const std::size_t side : {0U, 1U}) {
      const ValueId x = node.inputs[side];
      const Node* const gate = pattern_.only_maker(node.inputs[1 - side]);
      if (const std::optional<UnaryFunction> function = gated(gate, x)) {
        return Activation{*function, x};
      }
    }
    return std::nullopt;
  }

 private:
  /// The operand of a node with this function, whose result one node reads.
  [[nodiscard]] std::optional<ValueId> operand_of(ValueId id, UnaryFunction function) const {
    const Node* const node = pattern_.only_maker(id);
    return is_function(node, function) ? std::optional(node->inputs[0]) : std::nullopt;
  }

  /// The function that is x times what `gate` makes of x.
  [[nodiscard]] std::optional<UnaryFunction> gated(const Node* gate, ValueId x) const {
    if (!is<graph::Unary>(gate)) return std::nullopt;
    const auto& unary = std::get<graph::Unary>(gate->op);
    const ValueId inner = gate->inputs[0];
    const auto near = [](double a, double b) { return std::fabs(a - b) <= 1e-6; };
    if (unary.function == UnaryFunction::sigmoid && inner == x) return UnaryFunction::silu;
    if (unary.function == UnaryFunction::hardsigmoid && inner == x) {
      const bool usual =
          near(unary.alpha.value_or(1.0 / 6), 1.0 / 6) && near(unary.beta.value_or(0.5), 0.5);
      return usual ? std::optional(UnaryFunction::hardswish) : std::nullopt;
    }
    const bool is_mish =
        unary.function == UnaryFunction::tanh && operand_of(inner, UnaryFunction::softplus) == x;
    return is_mish ? std::optional(UnaryFunction::mish) : std::nullopt;
  }

  /// `product` is x * (inner + 1).
  [[nodiscard]] std::optional<Activation> gelu(const Node* product) const {
    if (!is_function(product, BinaryFunction::mul)) return std::nullopt;
    for (const std::size_t side : {0U, 1U}) {
      const ValueId x = product->inputs[side];
      const auto inner = pattern_.operand_beside(pattern_.only_maker(product->inputs[1 - side]),
                                                 BinaryFunction::add, 1.0);
      if (!inner) continue;
      if (is_erf_of(*inner, x)) return Activation{UnaryFunction::gelu, x};
      if (is_tanh_of(*inner, x)) return Activation{UnaryFunction::gelu_tanh, x};
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_erf_of(ValueId inner, ValueId x) const {
    const auto scaled = operand_of(inner, UnaryFunction::erf);
    if (!scaled) return false;
    const Node* const scaling = pattern_.only_maker(*scaled);
    return pattern_.operand_beside(scaling, BinaryFunction::div, std::numbers::sqrt2) == x ||
           pattern_.operand_beside(scaling, BinaryFunction::mul, 1.0 / std::numbers::sqrt2) == x;
  }

  [[nodiscard]] bool is_tanh_of(ValueId inner, ValueId x) const {
    const auto scaled = operand_of(inner, UnaryFunction::tanh);
    if (!scaled) return false;
    const auto sum = pattern_.operand_beside(pattern_.only_maker(*scaled), BinaryFunction::mul,
                                             std::sqrt(2.0 / std::numbers::pi));
    if (!sum) return false;
    const auto term = pattern_.other_operand(pattern_.only_maker(*sum), BinaryFunction::add, x);
    if (!term) return false;
    const auto cube =
        pattern_.operand_beside(pattern_.only_maker(*term), BinaryFunction::mul, 0.044715);
    return cube &&
           pattern_.operand_beside(pattern_.only_maker(*cube), BinaryFunction::pow, 3.0) == x;
  }

  const Pattern& pattern_;
};

}  // namespace

void join_activations(Assembly& assembly, ConstantComputer& constants) {
  const Pattern pattern(assembly, constants);
  const ActivationFinder finder(pattern);
  for (Node& node : assembly.graph.nodes) {
    const std::optional<Activation> found = finder.find(node);
    if (!found) continue;
    const graph::Unary op{found->function};
    if (!gives(assembly, op, {found->x}, node.outputs[0])) continue;
    node.op = op;
    node.inputs = {found->x};
  }
  drop_unused_nodes(assembly);
}

}  // namespace rooflab::onnx
