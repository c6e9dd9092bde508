// The data behind a graph's parameters, buffers and constants.
//
// A value that is a tensor of the file as it stands has a place there; reshaping moves nothing. A
// weight that the clean-up gave the form of its only reader (transposed, cast) is read and brought
// into that form. What the importer folded away is computed: small constants have their data
// already, larger ones are evaluated now, node by node, from the graph as it was before folding.
// That graph is kept apart, and computing more of it than an import does cannot change what the
// importer decides, so the graph is the same with and without its values.

#include "value_finder.hpp"

#include <algorithm>

#include "constant_evaluator.hpp"
#include "limits.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::onnx {

using graph::index_of;
using graph::ValueId;
using graph::ValueKind;

namespace {

bool moves_nothing(const graph::Op& op) { return std::holds_alternative<graph::Reshape>(op); }

/// The type that a tensor has in the file, before its readers changed it.
graph::TensorType stored_type(const TensorView& tensor) {
  return {dtype_of(tensor.element_type).value_or(DType::u8), graph::Shape(tensor.dims)};
}

/// Dense data after what the clean-up applied to it; nullopt for a type that is not computed with.
std::optional<std::string> transformed(std::string_view dense, const graph::TensorType& type,
                                       const std::vector<graph::Op>& steps) {
  std::optional<ConstantTensor> tensor = tensor_of_bytes(dense, type);
  for (const graph::Op& step : steps) {
    if (!tensor) return std::nullopt;
    const std::vector<graph::TensorType> types = graph::infer_types(step, {&tensor->type, 1});
    const ConstantTensor* operand = &*tensor;
    auto results = evaluate(step, {&operand, 1}, types, tensor->size());
    if (!results) return std::nullopt;
    tensor = std::move(results->front());
  }
  return tensor ? std::optional(dense_bytes(*tensor)) : std::nullopt;
}

}  // namespace

bool ValueFinder::find_stored(const graph::Value& value, const Facts& facts, ImportResult& result) {
  const TensorView& tensor = *facts.stored;
  const graph::TensorType type = stored_type(tensor);
  const bool as_stored = std::ranges::all_of(facts.absorbed, moves_nothing);
  if (as_stored) {
    if (std::optional<ValuePlace> place = data_.place(tensor, type)) {
      result.places.emplace(value.name, std::move(*place));
      return true;
    }
  }
  std::optional<std::string> dense = data_.bytes(tensor, type);
  if (dense && !as_stored) dense = transformed(*dense, type, facts.absorbed);
  if (!dense) {
    reasons_[facts.original] = data_.reason(tensor, type);
    return false;
  }
  result.bytes.emplace(value.name, std::move(*dense));
  return true;
}

// ---- what was folded ----------------------------------------------------------------------------

bool ValueFinder::spend(std::int64_t elements) {
  if (elements > static_cast<std::int64_t>(max_computed_elements - spent_)) return false;
  spent_ += static_cast<std::size_t>(elements);
  return true;
}

/// Data of a value of the unfolded graph; nullptr with a reason when it cannot be had.
const ConstantTensor* ValueFinder::operand(ValueId id) {
  Facts& facts = unfolded_.facts(id);
  if (facts.data) return &*facts.data;
  const graph::TensorType& type = unfolded_.type(id);
  if (unfolded_.graph.value(id).producer >= 0) return nullptr;
  const Assembly::Recipe* recipe = unfolded_.recipe(id);
  std::string& reason = reasons_[id];
  if (facts.stored == nullptr && recipe == nullptr) {
    reason = "the importer does not keep it";
  } else if (!spend(type.shape.elements())) {
    reason = "it is too large to be computed while importing";
  } else if (recipe != nullptr) {
    facts.data = (*recipe)();
  } else {
    const std::optional<std::string> dense = data_.bytes(*facts.stored, type);
    if (dense) facts.data = tensor_of_bytes(*dense, type);
    if (!facts.data) reason = data_.reason(*facts.stored, type);
  }
  return facts.data ? &*facts.data : nullptr;
}

void ValueFinder::compute_node(const graph::Node& node) {
  const auto give_up = [&](const std::string& reason) {
    for (const ValueId id : node.outputs) reasons_[id] = reason;
  };
  std::vector<const ConstantTensor*> operands;
  for (const ValueId id : node.inputs) {
    operands.push_back(operand(id));
    if (operands.back() == nullptr) return give_up(reasons_[id]);
  }
  std::vector<graph::TensorType> types;
  std::int64_t elements = 0;
  for (const ValueId id : node.outputs) {
    types.push_back(unfolded_.type(id));
    elements = std::max(elements, types.back().shape.elements());
    if (!spend(types.back().shape.elements())) {
      return give_up("it is too large to be computed while importing");
    }
  }
  auto results = evaluate(node.op, operands, types, static_cast<std::size_t>(elements));
  if (!results) {
    return give_up(
        format("it is made by '{}', which the importer does not compute", name_of(node.op)));
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    unfolded_.facts(node.outputs[i]).data = std::move((*results)[i]);
  }
}

void ValueFinder::compute(const std::vector<ValueId>& wanted) {
  const std::vector<graph::Node>& nodes = unfolded_.graph.nodes;
  std::vector<bool> needed(unfolded_.graph.values.size(), false);
  for (const ValueId id : wanted) needed[index_of(id)] = true;
  std::vector<bool> runs(nodes.size(), false);
  for (std::size_t n = nodes.size(); n-- > 0;) {
    runs[n] = std::ranges::any_of(nodes[n].outputs, [&](ValueId id) {
      return needed[index_of(id)] && !unfolded_.facts(id).data;
    });
    if (!runs[n]) continue;
    for (const ValueId id : nodes[n].inputs) needed[index_of(id)] = true;
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (runs[n]) compute_node(nodes[n]);
  }
}

void ValueFinder::find(const Assembly& assembly, ImportResult& result) {
  std::vector<ValueId> open;
  std::vector<ValueId> folded;
  for (std::size_t i = 0; i < assembly.graph.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const graph::Value& value = assembly.graph.values[i];
    const Facts& facts = assembly.facts(id);
    if (value.kind == ValueKind::input || value.kind == ValueKind::result) continue;
    if (facts.stored != nullptr) {
      if (!find_stored(value, facts, result)) open.push_back(id);
    } else if (facts.data) {
      result.bytes.emplace(value.name, dense_bytes(*facts.data));
    } else {
      folded.push_back(facts.original);
      open.push_back(id);
    }
  }
  compute(folded);
  std::map<std::string, std::vector<std::string>> names;
  for (const ValueId id : open) {
    const std::string& name = assembly.graph.value(id).name;
    const ValueId original = assembly.facts(id).original;
    const ConstantTensor* computed =
        assembly.facts(id).stored == nullptr ? operand(original) : nullptr;
    if (computed != nullptr) {
      result.bytes.emplace(name, dense_bytes(*computed));
      continue;
    }
    result.without_values.push_back(name);
    names[reasons_[original]].push_back(name);
  }
  for (const auto& [reason, of] : names) {
    Note& note =
        result.notes.emplace_back(Note{"values_unreadable", {of.front(), of.size() - 1, reason}});
    if (of.size() == 1) note.values[1] = {};
  }
}

}  // namespace rooflab::onnx
