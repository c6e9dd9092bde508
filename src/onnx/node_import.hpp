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

  /// Whether operand `i` is present; optional ones may be absent.
  [[nodiscard]] bool has(std::size_t i) const { return i < operands_.size() && operands_[i] >= 0; }
  /// Operand `i`; throws Error (input) when it is absent.
  [[nodiscard]] graph::ValueId operand(std::size_t i) const;
  /// All present operands.
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
  /// Data of operand `i` as integers; throws NotExpressible when they are only known at run time.
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t i, std::string_view what) const;
  [[nodiscard]] std::vector<double> numbers(std::size_t i, std::string_view what) const;
  /// Integers that older operator sets have as an attribute and newer ones as operand `i`.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers_of(std::string_view attribute,
                                                                     std::size_t i) const;

  /// An axis counted from the front; throws Error (input) outside -rank..rank-1.
  [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const;

  graph::ValueId emit(graph::Op op, std::vector<graph::ValueId> inputs);
  std::vector<graph::ValueId> emit_all(graph::Op op, std::vector<graph::ValueId> inputs);
  /// Keeps the node as Opaque under its own name, with all its operands and results of these types.
  /// `reason`: for the note, if the op has a rule for other cases.
  void keep_opaque(const std::vector<graph::TensorType>& types, std::string reason = {});
  /// Emits a Reshape unless `x` already has the shape.
  graph::ValueId reshape(graph::ValueId x, std::vector<std::int64_t> target);
  /// Emits a Transpose unless the order is already right.
  graph::ValueId transpose(graph::ValueId x, std::vector<std::int64_t> permutation);
  graph::ValueId constant(ConstantTensor data) { return assembly_.add_constant(std::move(data)); }
  /// Adds a constant that is too large for computations here; see Assembly.
  graph::ValueId constant_of_type(graph::TensorType type, Assembly::Recipe make = {}) {
    return assembly_.add_constant_of_type(std::move(type), std::move(make));
  }
  /// Adds a constant whose data can be read from the file.
  graph::ValueId stored_constant(const TensorView& tensor, graph::TensorType type) {
    return assembly_.add_stored_constant(tensor, std::move(type));
  }
  /// Marks a result as a known constant, whatever computes it.
  void set_data(graph::ValueId id, ConstantTensor data);

  void set_result(std::size_t i, graph::ValueId id);
  /// Ids of the results; -1: not set by the rule.
  [[nodiscard]] const std::vector<graph::ValueId>& results() const { return results_; }
  /// Reason why the node was kept as Opaque; empty: it was not, or it has no rule.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// Notes that the graph's op has the cost of this node but other values. `difference` continues
  /// the op's type: `Shrink` + ` runs as ...`.
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
