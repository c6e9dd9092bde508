#include "network_notes.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/format.hpp"
#include "folded_norms.hpp"
#include "graph/value_readers.hpp"
#include "limits.hpp"
#include "network_notes.hpp"
#include "notes/onnx_notes.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::onnx {
namespace {

std::string qualified_type(const graph::Opaque& op) {
  return op.domain.empty() ? op.type : format("{}.{}", op.domain, op.type);
}

}  // namespace

void note_output(const Assembly& assembly, const DimensionBinding& binding,
                 const ValueInfoView& output, graph::ValueId id, ImportResult& result) {
  const graph::TensorType& made = assembly.graph.type(id);
  if (!assembly.facts(id).known || !binding.contradicts(output.type, made)) return;
  const auto written = [](DType type, const std::string& shape) {
    return format("{} {}", name_of(type), shape);
  };
  std::vector<std::string> extents;
  for (const DimensionView& each : output.type.dims) {
    extents.push_back(each.value ? std::to_string(*each.value) : std::string(each.symbol));
  }
  const DType declared = dtype_of(output.type.element_type).value_or(made.dtype);
  result.notes.push_back(
      {says.output_declared_otherwise,
       {std::string(output.name), written(declared, format("[{}]", join(extents, ","))),
        written(made.dtype, made.shape.to_string())}});
}

void note_export(const Assembly& assembly, const GraphView& graph, ImportResult& result) {
  if (const std::optional<Note> note = note_folded_norms(assembly)) result.notes.push_back(*note);
  const auto trains = [](const NodeView& node) {
    return node.type == "Dropout" ||
           (node.type == "BatchNormalization" &&
            std::ranges::any_of(node.attributes, [](const AttributeView& attribute) {
              return attribute.name == "training_mode" && attribute.integer != 0;
            }));
  };
  if (std::ranges::none_of(graph.nodes, trains)) {
    result.training_notes.push_back({says.dropout_unknown});
  }
}

void note_unknown(const Assembly& assembly, const OpaqueReasons& why, ImportResult& result) {
  std::map<std::string, std::int64_t> counts;
  std::map<std::pair<std::string, std::string>, std::int64_t> reasons;
  for (std::size_t n = 0; n < assembly.graph.nodes.size(); ++n) {
    const auto* op = std::get_if<graph::Opaque>(&assembly.graph.nodes[n].op);
    if (op == nullptr) continue;
    const std::string type = qualified_type(*op);
    ++counts[type];
    const auto reason = why.find(assembly.origins[n]);
    const bool known_op = reason != why.end() && !reason->second.empty();
    ++reasons[{type, known_op ? reason->second : "it has no rule"}];
  }
  for (const auto& [type, count] : counts) result.unknown.push_back({type, count});
  std::ranges::stable_sort(result.unknown, std::greater{}, &UnknownOp::count);
  for (const auto& [reason, count] : reasons) {
    result.notes.push_back({says.op_not_counted, {reason.first, reason.second, count}});
  }
}

void note_values(const Assembly& assembly, ImportResult& result) {
  if (assembly.value_notes.empty()) return;
  const std::unordered_set<const Origin*> kept(assembly.origins.begin(), assembly.origins.end());
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  for (const auto& [origin, type, difference] : assembly.value_notes) {
    if (kept.contains(origin)) ++counts[{type, difference}];
  }
  for (const auto& [differing, count] : counts) {
    result.value_notes.push_back(
        {says.op_values_differ, {differing.first, differing.second, count}});
  }
}

std::int64_t parameter_elements_read(const graph::Graph& graph) {
  const graph::Readers readers(graph);
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const graph::Value& value = graph.values[i];
    if (value.kind != graph::ValueKind::parameter || readers.count[i] == 0) continue;
    elements = checked_add(elements, value.type.shape.elements());
  }
  return elements;
}

void note_leftovers(const graph::Graph& graph, const GraphView& file, std::int64_t read,
                    ImportResult& result) {
  std::int64_t stored = 0;
  for (const TensorView& tensor : file.initializers) {
    const std::optional<DType> dtype = dtype_of(tensor.element_type);
    if (!dtype || !is_floating(*dtype) || tensor.dims.empty()) continue;
    stored = checked_add(stored, graph::Shape(tensor.dims).elements());
  }
  std::int64_t as_constants = 0;
  for (const graph::Value& value : graph.values) {
    const bool large = value.kind == graph::ValueKind::constant &&
                       value.type.shape.elements() > static_cast<std::int64_t>(max_folded_elements);
    if (large) as_constants = checked_add(as_constants, value.type.shape.elements());
  }
  if (read < stored) {
    result.notes.push_back({says.elements_unused, {stored - read, stored}});
  }
  if (as_constants > 0) {
    result.notes.push_back({says.elements_constant, {as_constants}});
  }
}

}  // namespace rooflab::onnx
