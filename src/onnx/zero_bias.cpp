// Whose bias is it? The exporters keep the names of a module's tensors and make up names for what
// they compute. So a bias is the network's own where it is stored as `P.bias` together with a
// weight `P.weight`. (The bias may be that of another module: equal tensors are stored once.) Where
// either name is made up, or the bias is computed from constants alone, the exporter made the bias.
// Source: PyTorch 2.11, torch/csrc/jit/passes/onnx/eval_peephole.cpp (fuseConvBatchNorm);
// onnxscript, torch_lib/ops/core.py (aten_convolution).

#include "zero_bias.hpp"

#include <algorithm>

namespace rooflab::onnx {
namespace {

using graph::ValueId;

/// The place of the bias among the operands.
constexpr std::size_t bias_at = 2;

bool is_zero(const ConstantTensor& tensor) {
  const auto zero = [](double x) { return x == 0.0; };
  return tensor.floating() && std::ranges::all_of(tensor.numbers, zero);
}

bool made_by_exporter(const Assembly& assembly, const graph::Node& node) {
  const Facts& bias = assembly.facts(node.inputs[bias_at]);
  if (!bias.constant) return false;
  return !has_module_name(bias, "bias") ||
         !has_module_name(assembly.facts(node.inputs[1]), "weight");
}

/// States that recurrent layers begin with, if they are constant.
std::vector<ValueId> constant_states(const Assembly& assembly, const graph::Node& node) {
  const auto* const op = std::get_if<graph::Recurrent>(&node.op);
  if (op == nullptr || !op->initial_state) return {};
  std::vector<ValueId> states(
      node.inputs.begin() + 1,
      node.inputs.begin() + static_cast<std::ptrdiff_t>(op->first_weight()));
  const bool constant =
      std::ranges::all_of(states, [&](ValueId id) { return assembly.facts(id).constant; });
  return constant ? states : std::vector<ValueId>{};
}

}  // namespace

bool has_module_name(const Facts& facts, std::string_view leaf) {
  const std::string_view name = facts.file_name;
  if (!name.ends_with(leaf)) return false;
  const std::size_t before = name.size() - leaf.size();
  return before == 0 || name[before - 1] == '.';
}

void drop_zero_biases(Assembly& assembly, ConstantComputer& constants) {
  const auto candidate = [&assembly](const graph::Node& node) {
    return std::holds_alternative<graph::Conv>(node.op) && node.inputs.size() > bias_at &&
           made_by_exporter(assembly, node);
  };
  std::vector<ValueId> wanted;
  for (const graph::Node& node : assembly.graph.nodes) {
    if (candidate(node)) wanted.push_back(node.inputs[bias_at]);
  }
  constants.compute(wanted);
  for (graph::Node& node : assembly.graph.nodes) {
    if (!candidate(node)) continue;
    const ConstantTensor* const bias = constants.find(node.inputs[bias_at]);
    if (bias != nullptr && is_zero(*bias)) node.inputs.resize(bias_at);
  }
}

void drop_zero_states(Assembly& assembly, ConstantComputer& constants) {
  std::vector<ValueId> wanted;
  for (const graph::Node& node : assembly.graph.nodes) {
    std::ranges::copy(constant_states(assembly, node), std::back_inserter(wanted));
  }
  constants.compute(wanted);
  for (graph::Node& node : assembly.graph.nodes) {
    const std::vector<ValueId> states = constant_states(assembly, node);
    const bool zeros = std::ranges::all_of(states, [&](ValueId id) {
      const ConstantTensor* const state = constants.find(id);
      return state != nullptr && is_zero(*state);
    });
    if (states.empty() || !zeros) continue;
    const auto begin = node.inputs.begin() + 1;
    node.inputs.erase(begin, begin + static_cast<std::ptrdiff_t>(states.size()));
    std::get<graph::Recurrent>(node.op).initial_state = false;
  }
}

}  // namespace rooflab::onnx
