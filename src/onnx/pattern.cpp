#include "pattern.hpp"

#include <cmath>

#include "rooflab/base/error.hpp"

namespace rooflab::onnx {

using graph::index_of;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

bool is_function(const Node* node, graph::UnaryFunction function) {
  return is<graph::Unary>(node) && std::get<graph::Unary>(node->op).function == function;
}

bool is_function(const Node* node, graph::BinaryFunction function) {
  return is<graph::Binary>(node) && std::get<graph::Binary>(node->op).function == function;
}

bool gives(const Assembly& assembly, const graph::Op& op, const std::vector<ValueId>& inputs,
           ValueId result) {
  const Facts& facts = assembly.facts(result);
  if (facts.constant && !facts.from_parameter) return false;
  std::vector<graph::TensorType> types;
  for (const ValueId id : inputs) types.push_back(assembly.type(id));
  try {
    return graph::infer_types(op, types).front() == assembly.type(result);
  } catch (const Error&) {
    return false;
  }
}

double rounding_of(DType dtype) {
  if (dtype == DType::bf16) return 2e-2;
  return dtype == DType::f16 ? 2e-3 : 1e-5;
}

const Node* Pattern::maker(ValueId id) const {
  const NodeId producer = assembly_.graph.value(id).producer;
  return producer < 0 ? nullptr : &assembly_.graph.nodes[index_of(producer)];
}

const Node* Pattern::only_maker(ValueId id, int reads) const {
  return readers_.count[index_of(id)] == reads ? maker(id) : nullptr;
}

const Node* Pattern::only_reader(const Node& node) const {
  const std::size_t result = index_of(node.outputs.front());
  if (node.outputs.size() != 1 || readers_.count[result] != 1) return nullptr;
  const std::size_t reader = index_of(readers_.last[result]);
  return reader < assembly_.graph.nodes.size() ? &assembly_.graph.nodes[reader] : nullptr;
}

std::optional<double> Pattern::number(ValueId id) const {
  if (!is_constant(id) || shape(id).elements() != 1) return std::nullopt;
  const ConstantTensor* const data = constants_.find(id);
  return data == nullptr ? std::nullopt : std::optional(data->number(0));
}

bool Pattern::is_number(ValueId id, double expected) const {
  const std::optional<double> found = number(id);
  const double off = rounding_of(assembly_.type(id).dtype) * std::fabs(expected);
  return found && std::fabs(*found - expected) <= off;
}

std::optional<ValueId> Pattern::other_operand(const Node* node, graph::BinaryFunction function,
                                              ValueId id) const {
  if (!is_function(node, function)) return std::nullopt;
  if (node->inputs[0] == id) return node->inputs[1];
  return node->inputs[1] == id ? std::optional(node->inputs[0]) : std::nullopt;
}

std::optional<ValueId> Pattern::operand_beside(const Node* node, graph::BinaryFunction function,
                                               double number) const {
  if (!is_function(node, function)) return std::nullopt;
  if (is_number(node->inputs[1], number)) return node->inputs[0];
  const bool commutes =
      function == graph::BinaryFunction::add || function == graph::BinaryFunction::mul;
  if (commutes && is_number(node->inputs[0], number)) return node->inputs[1];
  return std::nullopt;
}

}  // namespace rooflab::onnx
