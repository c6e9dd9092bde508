#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembly.hpp"
#include "attributes.hpp"

namespace rooflab::onnx {

/// Thrown by a rule for a variant of its op that the graph's op set cannot express or whose inputs
/// are only known at run time; the importer keeps the node as Opaque and notes the reason.
struct NotExpressible {
  std::string reason;
};

/// One node of the file while its rule translates it: operands and attributes to read, graph nodes
/// to emit, results to set. Operand indices are those of the ONNX operator.
class NodeImport {
 public:
  NodeImport(Assembly& assembly, const NodeView& node, const Attributes& node_attributes,
             const Origin& origin, std::int64_t opset, std::vector<graph::ValueId> operands)
      : attributes(node_attributes),
        assembly_(assembly),
        node_(node),
        origin_(origin),
        opset_(opset),
        operands_(std::move(operands)),
        results_(node.outputs.size(), -1) {}

  const Attributes& attributes;

  [[nodiscard]] std::string_view op_type() const { return node_.type; }
  /// Version of the operator set that the op belongs to.
  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] std::size_t operand_count() const { return operands_.size(); }
  [[nodiscard]] std::size_t result_count() const { return results_.size(); }

  /// Is operand `i` there? (Optional ones may be absent.)
  [[nodiscard]] bool has(std::size_t i) const { return i < operands_.size() && operands_[i] >= 0; }
  /// Throws Error (input) when it is absent.
  [[nodiscard]] graph::ValueId operand(std::size_t i) const;
  /// All operands that are there.
  [[nodiscard]] std::vector<graph::ValueId> operands() const;

  [[nodiscard]] const graph::TensorType& type(std::size_t i) const { return type_of(operand(i)); }
  [[nodiscard]] const graph::Shape& shape(std::size_t i) const { return type(i).shape; }
  [[nodiscard]] const graph::TensorType& type_of(graph::ValueId id) const {
    return assembly_.type(id);
  }
  [[nodiscard]] const graph::Shape& shape_of(graph::ValueId id) const { return type_of(id).shape; }
  [[nodiscard]] const Facts& facts_of(graph::ValueId id) const { return assembly_.facts(id); }
  [[nodiscard]] const graph::Node* producer_of(graph::ValueId id) const;

  /// Data of operand `i` when it is a small constant, else nullptr.
  [[nodiscard]] const ConstantTensor* data(std::size_t i) const;
  /// The same as integers; throws NotExpressible when it is only known at run time.
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t i, std::string_view what) const;
  [[nodiscard]] std::vector<double> numbers(std::size_t i, std::string_view what) const;
  /// What older operator sets write as an attribute and newer ones as operand `i`.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers_of(std::string_view attribute,
                                                                     std::size_t i) const;

  /// An axis counted from the front; throws Error (input) outside -rank..rank-1.
  [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const;

  graph::ValueId emit(graph::Op op, std::vector<graph::ValueId> inputs);
  std::vector<graph::ValueId> emit_all(graph::Op op, std::vector<graph::ValueId> inputs);
  /// Keeps the node under its own name, with results of these types, on all its operands. `reason`
  /// is for the note, where the op as such has a rule.
  void keep_opaque(const std::vector<graph::TensorType>& types, std::string reason = {});
  /// A Reshape unless the shape is already so.
  graph::ValueId reshape(graph::ValueId x, std::vector<std::int64_t> target);
  /// A Transpose unless the order is already so.
  graph::ValueId transpose(graph::ValueId x, std::vector<std::int64_t> permutation);
  graph::ValueId constant(ConstantTensor data) { return assembly_.add_constant(std::move(data)); }
  /// A constant too large to be computed with here; see Assembly.
  graph::ValueId constant_of_type(graph::TensorType type, Assembly::Recipe make = {}) {
    return assembly_.add_constant_of_type(std::move(type), std::move(make));
  }
  /// A constant whose data can be read from the file.
  graph::ValueId stored_constant(const TensorView& tensor, graph::TensorType type) {
    return assembly_.add_stored_constant(tensor, std::move(type));
  }
  /// The result is a known constant whatever computes it.
  void set_data(graph::ValueId id, ConstantTensor data);

  void set_result(std::size_t i, graph::ValueId id);
  /// Ids of the results; -1 for those that the rule did not set.
  [[nodiscard]] const std::vector<graph::ValueId>& results() const { return results_; }
  /// Why the node was kept; empty: it was not, or has no rule.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// The graph's ops cannot say what this node computes, only what it costs: `difference` goes on
  /// after the op's type, `Shrink` + ` runs as ...`.
  void note_values(std::string_view difference);

  [[noreturn]] void fail(const std::string& message) const;

 private:
  Assembly& assembly_;
  const NodeView& node_;
  const Origin& origin_;
  std::int64_t opset_;
  std::vector<graph::ValueId> operands_;
  std::vector<graph::ValueId> results_;
  std::string reason_;
};

}  // namespace rooflab::onnx
