#include "constant_computer.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "constant_evaluator.hpp"
#include "limits.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {

using graph::index_of;
using graph::ValueId;

namespace {

/// Small constants that are compared with each other at most.
constexpr std::size_t max_compared = 256;

bool equal(const ConstantTensor& a, const ConstantTensor& b) {
  return a.type == b.type && a.integers == b.integers && a.numbers == b.numbers;
}

}  // namespace

bool ConstantComputer::spend(std::int64_t elements) {
  if (elements > static_cast<std::int64_t>(budget_)) return false;
  budget_ -= static_cast<std::size_t>(elements);
  return true;
}

const ConstantTensor* ConstantComputer::known(ValueId id) const {
  const Facts& facts = assembly_.facts(id);
  if (facts.data) return &*facts.data;
  const auto found = computed_.find(id);
  return found == computed_.end() ? nullptr : &found->second;
}

std::string ConstantComputer::reason(ValueId id) const {
  const auto found = reasons_.find(id);
  return found == reasons_.end() ? std::string() : found->second;
}

const ConstantTensor* ConstantComputer::find(ValueId id) {
  if (const ConstantTensor* const data = known(id)) return data;
  if (const auto same = same_.find(id); same != same_.end() && same->second != id) {
    return known(same->second);
  }
  if (assembly_.graph.value(id).producer >= 0) return nullptr;
  const Facts& facts = assembly_.facts(id);
  const graph::TensorType& type = assembly_.type(id);
  const Assembly::Recipe* const recipe = assembly_.recipe(id);
  std::string& reason = reasons_[id];
  if (facts.stored == nullptr && recipe == nullptr) {
    reason = "the importer does not keep it";
  } else if (!spend(type.shape.elements())) {
    reason = "it is too large to be computed while importing";
  } else if (recipe != nullptr) {
    computed_.emplace(id, (*recipe)());
  } else if (std::optional<ConstantTensor> tensor = stored(id)) {
    computed_.emplace(id, std::move(*tensor));
  } else {
    reason = data_.reason(*facts.stored, type);
  }
  return known(id);
}

std::optional<ConstantTensor> ConstantComputer::stored(ValueId id) {
  const graph::TensorType& type = assembly_.type(id);
  try {
    const std::optional<std::string> dense = data_.bytes(*assembly_.facts(id).stored, type);
    return dense ? tensor_of_bytes(*dense, type) : std::nullopt;
  } catch (const Error&) {
    if (unreadable_ == Unreadable::is_error) throw;
    return std::nullopt;
  }
}

ValueId ConstantComputer::representative(ValueId id) {
  const auto [entry, added] = same_.try_emplace(id, id);
  if (!added) return entry->second;
  const ConstantTensor* const data = known(id);
  if (data == nullptr || data->size() > max_folded_elements) return id;
  for (const ValueId other : small_) {
    if (equal(*known(other), *data)) return entry->second = other;
  }
  if (small_.size() < max_compared) small_.push_back(id);
  return id;
}

void ConstantComputer::compute_node(const graph::Node& node) {
  const auto give_up = [&](const std::string& reason) {
    for (const ValueId id : node.outputs) reasons_[id] = reason;
  };
  std::vector<const ConstantTensor*> operands;
  std::vector<ValueId> key;
  for (const ValueId id : node.inputs) {
    operands.push_back(find(id));
    if (operands.back() == nullptr) return give_up(reason(id));
    key.push_back(representative(id));
  }
  std::vector<Made>& alike = made_[key];
  for (const Made& other : alike) {
    if (other.op != node.op) continue;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      same_[node.outputs[i]] = other.outputs[i];
    }
    return;
  }
  std::vector<graph::TensorType> types;
  std::int64_t elements = 0;
  for (const ValueId id : node.outputs) {
    types.push_back(assembly_.type(id));
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
    computed_.emplace(node.outputs[i], std::move((*results)[i]));
  }
  alike.push_back({node.op, node.outputs});
}

void ConstantComputer::compute(const std::vector<ValueId>& wanted) {
  const std::vector<graph::Node>& nodes = assembly_.graph.nodes;
  std::vector<bool> needed(assembly_.graph.values.size(), false);
  for (const ValueId id : wanted) needed[index_of(id)] = true;
  std::vector<bool> runs(nodes.size(), false);
  for (std::size_t n = nodes.size(); n-- > 0;) {
    runs[n] = std::ranges::any_of(nodes[n].outputs, [&](ValueId id) {
      return needed[index_of(id)] && known(id) == nullptr && !same_.contains(id);
    });
    if (!runs[n]) continue;
    for (const ValueId id : nodes[n].inputs) needed[index_of(id)] = true;
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (runs[n]) compute_node(nodes[n]);
  }
}

}  // namespace rooflab::onnx
