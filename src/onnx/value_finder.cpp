// The data behind a graph's parameters, buffers and constants.
//
// A value that is an unchanged tensor of the file has a place there; reshaping moves nothing. A
// weight that the clean-up gave the form of its only reader (transposed, cast) is read and brought
// into that form. What the importer folded away is computed: small constants have their data
// already, larger ones are evaluated now, node by node, from the graph as it was before folding.
// That graph is kept apart, and computing more of it than an import does cannot change what the
// importer decides, so the graph is the same with and without its values.

#include "value_finder.hpp"

#include <algorithm>

#include "constant_evaluator.hpp"
#include "limits.hpp"
#include "notes/onnx_notes.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::onnx {

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
  folded_.compute(folded);
  std::map<std::string, std::vector<std::string>> names;
  for (const ValueId id : open) {
    const std::string& name = assembly.graph.value(id).name;
    const ValueId original = assembly.facts(id).original;
    const bool is_stored = assembly.facts(id).stored != nullptr;
    const ConstantTensor* computed = is_stored ? nullptr : folded_.find(original);
    if (computed != nullptr) {
      result.bytes.emplace(name, dense_bytes(*computed));
      continue;
    }
    result.without_values.push_back(name);
    names[is_stored ? reasons_[original] : folded_.reason(original)].push_back(name);
  }
  for (const auto& [reason, of] : names) {
    Note& note = result.notes.emplace_back(
        Note{says.values_unreadable, {of.front(), of.size() - 1, reason}});
    if (of.size() == 1) note.values[1] = {};
  }
}

}  // namespace rooflab::onnx
