// From a parsed model to a graph.
//
// Nodes are translated in order, each by the rule of its op (op_table.hpp), while small constants
// are computed alongside: when a Reshape comes up, its target is a constant although the file
// computes it from a Shape. A node without a rule, or with an operand of unknown extents, stays as
// an Opaque node under its own name; its results' types are taken from the file where it declares
// them and are otherwise unknown, which makes the nodes after it Opaque in turn until a declared
// type appears. Such a node is listed with its reason: nothing unknown counts as zero in silence.
//
// What exporters write with other ops than eager runs becomes eager's again (eager_ops.hpp), while
// everything that computes constants is still there to be looked at.
//
// Clean-up then removes what only served the computation of shapes (graph_cleanup.hpp).

#include "importer.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "eager_ops.hpp"
#include "graph_cleanup.hpp"
#include "limits.hpp"
#include "names.hpp"
#include "network_notes.hpp"
#include "node_import.hpp"
#include "node_order.hpp"
#include "notes/onnx_notes.hpp"
#include "op_table.hpp"
#include "result_bounds.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/graph/graph.hpp"
#include "value_finder.hpp"

namespace rooflab::onnx {

using graph::ValueId;

namespace {

constexpr std::int64_t oldest_opset = 7;

std::string function_key(std::string_view domain, std::string_view name,
                         std::string_view overload) {
  return format("{}\n{}\n{}", domain, name, overload);
}

std::int64_t version_in(const std::vector<OperatorSet>& sets, std::string_view domain) {
  const auto found = std::ranges::find(sets, domain, &OperatorSet::domain);
  return found == sets.end() ? 0 : found->version;
}

std::string described(const NodeView& node) {
  return node.name.empty() ? format("node ({})", node.type)
                           : format("node '{}' ({})", node.name, node.type);
}

}  // namespace

Importer::Importer(const Source& source, const ModelView& model, const ImportOptions& options,
                   std::filesystem::path file, std::string graph_name)
    : source_(source),
      model_(model),
      file_(std::move(file)),
      with_places_(options.with_places),
      binding_(options),
      assembly_(std::move(graph_name)) {
  for (const FunctionView& function : model.functions) {
    functions_[function_key(function.domain, function.name, function.overload)] = &function;
  }
}

ImportResult Importer::run() {
  ImportResult result;
  const GraphView& graph = *model_.graph;
  result.opset = version_in(model_.operator_sets, "");
  result.producer =
      std::string(trim(format("{} {}", model_.producer_name, model_.producer_version)));
  if (result.opset < oldest_opset && !graph.nodes.empty()) {
    throw Error(ErrorKind::input,
                result.opset <= 0 ? "the file does not name its operator set; is it complete?"
                                  : format("operator set {} is not read", result.opset),
                format("export it again with opset_version={} or later", oldest_opset),
                source_.at());
  }

  Scope scope{source_};
  scope.operator_sets = &model_.operator_sets;
  declare_initializers(graph, scope);
  declare_inputs(graph, scope);
  for (const ValueInfoView& info : graph.value_info) scope.declared_types[info.name] = &info.type;
  for (const ValueInfoView& info : graph.outputs) scope.declared_types[info.name] = &info.type;

  import_nodes(graph.nodes, scope);
  for (const ValueInfoView& output : graph.outputs) {
    const ValueId* id = scope.find(output.name);
    if (id == nullptr || *id < 0) {
      throw Error(ErrorKind::input, format("output '{}' is not written by any node", output.name),
                  {}, source_.at(output.offset));
    }
    assembly_.graph.outputs.push_back(*id);
    note_output(assembly_, binding_, output, *id, result);
  }

  drop_unused_nodes(assembly_);
  const std::int64_t parameters_read = parameter_elements_read(assembly_.graph);
  const bool is_from_pytorch = model_.producer_name == "pytorch";
  TensorData data(source_, file_);
  restore_eager_ops(assembly_, data, is_from_pytorch, result);
  std::optional<Assembly> unfolded;
  if (with_places_) unfolded = assembly_;
  clean_up(assembly_);
  if (is_from_pytorch) note_export(assembly_, graph, result);
  assign_names(assembly_);
  keep_indices(assembly_);
  graph::require_sound(assembly_.graph, format("importing '{}'", source_.file));
  result.notes.insert(result.notes.begin(), binding_.notes().begin(), binding_.notes().end());
  note_unknown(assembly_, reasons_, result);
  note_leftovers(assembly_.graph, graph, parameters_read, result);
  note_values(assembly_, result);
  if (unfolded) ValueFinder(std::move(*unfolded), source_, file_).find(assembly_, result);
  result.graph = std::move(assembly_.graph);
  return result;
}

// ---- what is given ----------------------------------------------------------------------------

void Importer::declare_initializers(const GraphView& graph, Scope& scope) {
  for (const TensorView& tensor : graph.initializers) {
    try {
      const std::optional<DType> dtype = dtype_of(tensor.element_type);
      graph::Shape shape(tensor.dims);
      require_plausible(shape);
      ValueId id = -1;
      if (dtype) {
        id = assembly_.add_initializer(tensor, {*dtype, std::move(shape)});
      } else {
        // Text and complex numbers: nodes that use them stay unknown.
        id = assembly_.add_constant_of_type({DType::u8, std::move(shape)});
        assembly_.facts(id).known = false;
        assembly_.facts(id).file_name = tensor.name;
      }
      scope.define(tensor.name, id);
    } catch (const Error& error) {
      throw Error(error.kind(), format("initialiser '{}': {}", tensor.name, error.what()),
                  error.hint(), source_.at(tensor.offset));
    }
  }
}

void Importer::declare_inputs(const GraphView& graph, Scope& scope) {
  std::vector<const ValueInfoView*> inputs;
  for (const ValueInfoView& input : graph.inputs) {
    // Before IR version 4 every initialiser is listed as an input too.
    if (!scope.values.contains(input.name)) inputs.push_back(&input);
  }
  binding_.require_known(inputs);
  for (const ValueInfoView* const input : inputs) {
    try {
      scope.define(input->name, assembly_.add_input(input->name, binding_.bind_input(*input)));
    } catch (const Error& error) {
      throw error.at(source_.at(input->offset));
    }
  }
  binding_.require_all_used();
}

// ---- nodes ------------------------------------------------------------------------------------

void Importer::import_nodes(const std::vector<NodeView>& nodes, Scope& scope) {
  if (scope.depth > max_nesting) {
    throw Error(ErrorKind::input, "functions and branches are nested too deeply", {}, source_.at());
  }
  for (const std::size_t n : execution_order(nodes, source_)) {
    try {
      import_node(nodes[n], scope);
    } catch (const Error& error) {
      if (!error.location().file.empty()) throw;
      throw Error(error.kind(), format("{}: {}", described(nodes[n]), error.what()), error.hint(),
                  source_.at(nodes[n].offset));
    }
  }
}

Importer::Operands Importer::find_operands(const NodeView& node, const Scope& scope) const {
  Operands operands;
  for (const std::string_view name : node.inputs) {
    if (name.empty()) {
      operands.push_back(-1);
      continue;
    }
    const ValueId* id = scope.find(name);
    if (id == nullptr) {
      throw Error(ErrorKind::input, format("its input '{}' is not defined anywhere", name));
    }
    operands.push_back(*id);
  }
  return operands;
}

const FunctionView* Importer::find_function(const NodeView& node) const {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find(function_key(node.domain, node.type, node.overload));
  return found == functions_.end() ? nullptr : found->second;
}

std::int64_t Importer::opset_of(const NodeView& node, const Scope& scope) const {
  const std::int64_t version = version_in(*scope.operator_sets, node.domain);
  if (version > 0) return version;
  // A function may leave out what the model declares; an unknown domain has no rules anyway.
  const std::int64_t of_model = version_in(model_.operator_sets, node.domain);
  return of_model > 0 ? of_model : 1;
}

void Importer::import_node(const NodeView& node, Scope& scope) {
  if (++expanded_nodes_ > max_expanded_nodes) {
    throw Error(ErrorKind::input, format("the file has more than {} nodes{}", max_expanded_nodes,
                                         functions_.empty() ? "" : " with its functions expanded"));
  }
  const Operands operands = find_operands(node, scope);
  const Attributes attributes(node, scope.call_attributes, scope.function);
  const Origin& origin = origins_.emplace_back(Origin{&node, scope.call});
  const bool own_rule = node.domain.empty() && find_rule(node.domain, node.type) != nullptr;
  const FunctionView* function = own_rule ? nullptr : find_function(node);
  if (function != nullptr) {
    return inline_function(node, *function, scope, attributes, origin, operands);
  }
  if (node.domain.empty() && node.type == "If" && !operands.empty() && operands[0] >= 0) {
    const ConstantTensor* condition = assembly_.data(operands[0]);
    if (condition != nullptr && condition->size() == 1) {
      const AttributeView* branch =
          attributes.find(condition->number(0) != 0.0 ? "then_branch" : "else_branch");
      if (branch == nullptr) throw Error(ErrorKind::input, "a branch is missing");
      return inline_branch(node, branch->graph, scope);
    }
  }
  translate(node, scope, attributes, origin, operands);
}

void Importer::translate(const NodeView& node, Scope& scope, const Attributes& attributes,
                         const Origin& origin, const Operands& operands) {
  const Rule rule = find_rule(node.domain, node.type);
  if (rule == nullptr) {
    Operands all = operands;
    const bool has_body = add_captures(node.attributes, scope, all);
    return keep_opaque(node, scope, attributes, origin, all,
                       has_body ? "what it runs is decided at run time" : "");
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] < 0 || assembly_.facts(operands[i]).known) continue;
    return keep_opaque(node, scope, attributes, origin, operands,
                       format("the shape of its operand '{}' is not known", node.inputs[i]));
  }
  NodeImport import(assembly_, node, attributes, origin, opset_of(node, scope), operands);
  try {
    rule(import);
  } catch (const NotExpressible& variant) {
    return keep_opaque(node, scope, attributes, origin, operands, variant.reason);
  }
  if (!import.reason().empty()) reasons_[&origin] = import.reason();
  const std::vector<ValueId>& results = import.results();
  std::size_t set = 0;
  for (; set < results.size() && results[set] >= 0; ++set) {
    scope.define(node.outputs[set], results[set]);
  }
  if (set < results.size()) {
    keep_opaque(node, scope, attributes, origin, operands, "a secondary result of it is used", set);
  }
}

/// The results from `first_result` on (those before it have a rule). Removed again by the clean-up
/// when nothing reads them.
void Importer::keep_opaque(const NodeView& node, Scope& scope, const Attributes& attributes,
                           const Origin& origin, const Operands& operands, std::string reason,
                           std::size_t first_result) {
  graph::Opaque op{std::string(node.domain), std::string(node.type), {}, {}};
  std::vector<bool> known;
  std::vector<graph::TensorType> largest;
  if (node.domain.empty()) {
    largest = largest_results(
        NodeImport(assembly_, node, attributes, origin, opset_of(node, scope), operands));
  }
  for (std::size_t i = first_result; i < node.outputs.size(); ++i) {
    const auto declared = scope.declared_types.find(node.outputs[i]);
    std::optional<graph::TensorType> type;
    if (declared != scope.declared_types.end()) type = binding_.resolve(*declared->second);
    if (!type && i < largest.size()) {
      type = largest[i];
      if (!reason.empty()) reason += "; ";
      reason +=
          format("'{}' is taken at its largest, {}", node.outputs[i], type->shape.to_string());
    }
    known.push_back(type.has_value());
    op.outputs.push_back(type ? type->shape : graph::Shape{});
    op.dtypes.push_back(type ? type->dtype : DType::f32);
  }
  const bool has_body = std::ranges::any_of(
      node.attributes, [](const AttributeView& attribute) { return !attribute.graph.empty(); });
  op.bounded = !has_body && std::ranges::find(known, false) == known.end();
  Operands present;
  std::ranges::copy_if(operands, std::back_inserter(present), [](ValueId id) { return id >= 0; });
  const std::vector<ValueId> results = assembly_.emit(std::move(op), std::move(present), &origin);
  for (std::size_t i = 0; i < results.size(); ++i) {
    assembly_.facts(results[i]).known = known[i];
    scope.define(node.outputs[first_result + i], results[i]);
  }
  reasons_[&origin] = std::move(reason);
}

/// Values from outside that the graphs in these attributes read: they are operands of the node, or
/// what computes them would seem unused.
bool Importer::add_captures(const std::vector<AttributeView>& attributes, const Scope& scope,
                            Operands& operands, int depth) const {
  bool has_body = false;
  for (const AttributeView& attribute : attributes) {
    if (attribute.graph.empty() || depth > max_nesting) continue;
    has_body = true;
    const GraphView body = parse_graph(attribute.graph, source_);
    for (const NodeView& inner : body.nodes) {
      for (const std::string_view name : inner.inputs) {
        const ValueId* id = name.empty() ? nullptr : scope.find(name);
        const bool known = id != nullptr && std::ranges::find(operands, *id) != operands.end();
        if (id != nullptr && !known) operands.push_back(*id);
      }
      (void)add_captures(inner.attributes, scope, operands, depth + 1);
    }
  }
  return has_body;
}

// ---- nodes that stand for graphs --------------------------------------------------------------

void Importer::inline_function(const NodeView& node, const FunctionView& function, Scope& scope,
                               const Attributes& attributes, const Origin& origin,
                               const Operands& operands) {
  for (const Scope* place = &scope; place != nullptr; place = place->outer) {
    if (place->function == &function) {
      throw Error(ErrorKind::input, format("function '{}' calls itself", function.name));
    }
  }
  if (operands.size() > function.inputs.size() || node.outputs.size() > function.outputs.size()) {
    throw Error(ErrorKind::input,
                format("function '{}' takes {} inputs and has {} results", function.name,
                       function.inputs.size(), function.outputs.size()));
  }
  Scope body{source_};
  body.operator_sets = &function.operator_sets;
  body.function = &function;
  body.call_attributes = &attributes;
  body.call = &origin;
  body.depth = scope.depth + 1;
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    body.define(function.inputs[i], i < operands.size() ? operands[i] : -1);
  }
  for (const ValueInfoView& info : function.value_info) body.declared_types[info.name] = &info.type;
  import_nodes(function.nodes, body);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId* id = body.find(function.outputs[i]);
    if (id == nullptr || *id < 0) {
      throw Error(ErrorKind::input, format("function '{}' does not write its result '{}'",
                                           function.name, function.outputs[i]));
    }
    scope.define(node.outputs[i], *id);
  }
}

void Importer::inline_branch(const NodeView& node, std::string_view branch, Scope& scope) {
  const GraphView& graph = branches_.emplace_back(parse_graph(branch, source_));
  Scope inner{source_};
  inner.outer = &scope;
  inner.operator_sets = scope.operator_sets;
  inner.function = scope.function;
  inner.call_attributes = scope.call_attributes;
  inner.call = scope.call;
  inner.depth = scope.depth + 1;
  declare_initializers(graph, inner);
  for (const ValueInfoView& info : graph.value_info) inner.declared_types[info.name] = &info.type;
  import_nodes(graph.nodes, inner);
  if (graph.outputs.size() < node.outputs.size()) {
    throw Error(ErrorKind::input, "a branch has fewer results than its node");
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId* id = inner.find(graph.outputs[i].name);
    if (id == nullptr || *id < 0) {
      throw Error(ErrorKind::input,
                  format("a branch does not write its result '{}'", graph.outputs[i].name));
    }
    scope.define(node.outputs[i], *id);
  }
}

}  // namespace rooflab::onnx
