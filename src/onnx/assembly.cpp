#include "assembly.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "constant_evaluator.hpp"
#include "limits.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::onnx {

using graph::ValueId;
using graph::ValueKind;

void require_plausible(const graph::Shape& shape) {
  if (shape.rank() > max_rank) {
    throw Error(ErrorKind::input,
                format("a tensor of rank {} is beyond {}", shape.rank(), max_rank));
  }
  // Counted without extents of 0, so that strides and partial products stay in range as well.
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape.dims()) {
    if (extent < 0) throw Error(ErrorKind::input, format("an extent is negative: {}", extent));
    if (extent > max_extent) {
      throw Error(ErrorKind::input, format("an extent of {} is beyond any network", extent));
    }
    elements = checked_multiply(elements, extent == 0 ? 1 : extent);
  }
  if (elements > max_elements) {
    throw Error(ErrorKind::input,
                format("a tensor of {} elements is beyond any network", elements));
  }
}

ValueId Assembly::add_value(ValueKind kind, graph::TensorType type) {
  require_plausible(type.shape);
  graph.values.push_back({"", kind, std::move(type), -1});
  const auto id = static_cast<ValueId>(graph.values.size() - 1);
  facts_.emplace_back().original = id;
  return id;
}

ValueId Assembly::add_input(std::string_view name, graph::TensorType type) {
  const ValueId id = add_value(ValueKind::input, std::move(type));
  facts(id).file_name = name;
  graph.inputs.push_back(id);
  return id;
}

ValueId Assembly::add_initializer(const TensorView& tensor, graph::TensorType type) {
  const bool trained =
      is_floating(type.dtype) && type.shape.rank() >= 1 && type.shape.elements() > 0;
  const ValueId id =
      add_value(trained ? ValueKind::parameter : ValueKind::constant, std::move(type));
  Facts& known = facts(id);
  known.file_name = tensor.name;
  known.constant = true;
  known.from_parameter = trained;
  known.stored = &tensor;
  return id;
}

ValueId Assembly::add_stored_constant(const TensorView& tensor, graph::TensorType type) {
  const ValueId id = add_constant_of_type(std::move(type));
  facts(id).stored = &tensor;
  return id;
}

ValueId Assembly::add_constant_of_type(graph::TensorType type, Recipe make) {
  const ValueId id = add_value(ValueKind::constant, std::move(type));
  facts(id).constant = true;
  if (make) recipes_.emplace(id, std::move(make));
  return id;
}

const Assembly::Recipe* Assembly::recipe(ValueId id) const {
  const auto found = recipes_.find(id);
  return found == recipes_.end() ? nullptr : &found->second;
}

ValueId Assembly::add_constant(ConstantTensor data) {
  const ValueId id = add_constant_of_type(data.type);
  facts(id).data = std::move(data);
  return id;
}

ValueId Assembly::adopt(graph::Value value, Facts facts) {
  graph.values.push_back(std::move(value));
  facts_.push_back(std::move(facts));
  return static_cast<ValueId>(graph.values.size() - 1);
}

const ConstantTensor* Assembly::data(ValueId id) {
  Facts& known = facts(id);
  if (!known.data && known.stored != nullptr && !known.read) {
    known.data = read_tensor(*known.stored, type(id));
    known.read = true;
  }
  return known.data ? &*known.data : nullptr;
}

std::vector<ValueId> Assembly::emit(graph::Op op, std::vector<ValueId> inputs,
                                    const Origin* origin) {
  std::vector<graph::TensorType> operands;
  operands.reserve(inputs.size());
  for (const ValueId id : inputs) operands.push_back(type(id));
  const std::vector<graph::TensorType> results = graph::infer_types(op, operands);

  const auto is_constant = [this](ValueId id) { return facts(id).constant; };
  const auto needs_parameter = [this](ValueId id) { return facts(id).from_parameter; };
  const bool constant = !inputs.empty() && std::ranges::all_of(inputs, is_constant) &&
                        !std::holds_alternative<graph::Opaque>(op);
  const bool from_parameter = std::ranges::any_of(inputs, needs_parameter);
  std::optional<std::vector<ConstantTensor>> values;
  if (constant) {
    std::vector<const ConstantTensor*> data_of_inputs;
    for (const ValueId id : inputs) {
      const ConstantTensor* known = data(id);
      if (known == nullptr) break;
      data_of_inputs.push_back(known);
    }
    if (data_of_inputs.size() == inputs.size()) values = evaluate(op, data_of_inputs, results);
  }

  const auto node_id = static_cast<graph::NodeId>(graph.nodes.size());
  std::vector<ValueId> outputs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ValueId id = add_value(ValueKind::result, results[i]);
    graph.value(id).producer = node_id;
    Facts& known = facts(id);
    known.constant = constant;
    known.from_parameter = from_parameter;
    if (values) known.data = std::move((*values)[i]);
    outputs.push_back(id);
  }
  graph.nodes.push_back({"", std::move(op), std::move(inputs), outputs, false});
  origins.push_back(origin);
  return outputs;
}

}  // namespace rooflab::onnx
