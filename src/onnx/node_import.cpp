#include "node_import.hpp"

#include <algorithm>
#include <functional>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {

using graph::ValueId;

void NodeImport::fail(const std::string& message) const { throw Error(ErrorKind::input, message); }

ValueId NodeImport::operand(std::size_t i) const {
  if (!has(i)) fail(format("operand {} is missing", i));
  return operands_[i];
}

std::vector<ValueId> NodeImport::operands() const {
  std::vector<ValueId> present;
  for (const ValueId id : operands_) {
    if (id >= 0) present.push_back(id);
  }
  return present;
}

const graph::Node* NodeImport::producer_of(ValueId id) const {
  const graph::NodeId producer = assembly_.graph.value(id).producer;
  return producer < 0 ? nullptr : &assembly_.graph.nodes[static_cast<std::size_t>(producer)];
}

const ConstantTensor* NodeImport::data(std::size_t i) const {
  return has(i) ? assembly_.data(operands_[i]) : nullptr;
}

std::vector<std::int64_t> NodeImport::integers(std::size_t i, std::string_view what) const {
  (void)operand(i);
  const ConstantTensor* known = data(i);
  if (known == nullptr) throw NotExpressible{format("its {} is known at run time only", what)};
  return known->as_integers();
}

std::vector<double> NodeImport::numbers(std::size_t i, std::string_view what) const {
  (void)operand(i);
  const ConstantTensor* known = data(i);
  if (known == nullptr) throw NotExpressible{format("its {} is known at run time only", what)};
  return known->as_numbers();
}

std::optional<std::vector<std::int64_t>> NodeImport::integers_of(std::string_view attribute,
                                                                 std::size_t i) const {
  if (attributes.has(attribute)) return attributes.integers(attribute);
  if (has(i)) return integers(i, attribute);
  return std::nullopt;
}

std::size_t NodeImport::axis(std::int64_t axis, std::size_t rank) const {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    fail(format("axis {} is outside a tensor of rank {}", axis, rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::vector<ValueId> NodeImport::emit_all(graph::Op op, std::vector<ValueId> inputs) {
  return assembly_.emit(std::move(op), std::move(inputs), &origin_);
}

ValueId NodeImport::emit(graph::Op op, std::vector<ValueId> inputs) {
  return emit_all(std::move(op), std::move(inputs)).front();
}

void NodeImport::keep_opaque(const std::vector<graph::TensorType>& types, std::string reason) {
  reason_ = std::move(reason);
  graph::Opaque op{std::string(node_.domain), std::string(node_.type), {}, {}};
  for (const graph::TensorType& type : types) {
    op.outputs.push_back(type.shape);
    op.dtypes.push_back(type.dtype);
  }
  const std::vector<ValueId> results = emit_all(std::move(op), operands());
  for (std::size_t i = 0; i < results.size(); ++i) set_result(i, results[i]);
}

ValueId NodeImport::reshape(ValueId x, std::vector<std::int64_t> target) {
  if (shape_of(x).dims() == target) return x;
  return emit(graph::Reshape{std::move(target)}, {x});
}

ValueId NodeImport::transpose(ValueId x, std::vector<std::int64_t> permutation) {
  if (std::ranges::adjacent_find(permutation, std::greater_equal{}) == permutation.end()) return x;
  return emit(graph::Transpose{std::move(permutation)}, {x});
}

void NodeImport::note_values(std::string_view difference) {
  assembly_.value_notes.emplace_back(&origin_, node_.type, difference);
}

void NodeImport::set_data(ValueId id, ConstantTensor data) {
  Facts& facts = assembly_.facts(id);
  facts.constant = true;
  facts.data = std::move(data);
}

void NodeImport::set_result(std::size_t i, ValueId id) {
  if (i < results_.size()) results_[i] = id;
}

}  // namespace rooflab::onnx
