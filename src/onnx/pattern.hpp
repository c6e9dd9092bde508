#pragma once

#include <optional>
#include <vector>

#include "assembly.hpp"
#include "constant_computer.hpp"
#include "graph/readers.hpp"

namespace rooflab::onnx {

/// Questions about the nodes around a value, for what finds ops that an exporter took apart. The
/// assembly has no unused nodes, and no reader that came after this.
class Pattern {
 public:
  Pattern(const Assembly& assembly, ConstantComputer& constants)
      : assembly_(assembly), constants_(constants), readers_(assembly.graph) {}

  [[nodiscard]] const Assembly& assembly() const { return assembly_; }
  [[nodiscard]] const graph::Shape& shape(graph::ValueId id) const {
    return assembly_.type(id).shape;
  }
  [[nodiscard]] bool is_constant(graph::ValueId id) const { return assembly_.facts(id).constant; }

  /// The node that makes a value; nullptr for what is given.
  [[nodiscard]] const graph::Node* maker(graph::ValueId id) const;
  /// The same where nodes read the value this often in all; the network's caller reads its outputs.
  [[nodiscard]] const graph::Node* only_maker(graph::ValueId id, int reads = 1) const;
  /// The one node that reads a node's one result; nullptr where several do, or the caller.
  [[nodiscard]] const graph::Node* only_reader(const graph::Node& node) const;

  /// The one element of a constant.
  [[nodiscard]] std::optional<double> number(graph::ValueId id) const;
  /// Whether a constant is this number, rounded to the value's type.
  [[nodiscard]] bool is_number(graph::ValueId id, double expected) const;

  /// The other operand of a node with this function where one is `id`.
  [[nodiscard]] std::optional<graph::ValueId> other_operand(const graph::Node* node,
                                                            graph::BinaryFunction function,
                                                            graph::ValueId id) const;
  /// The operand that is no constant of one element, of a node with this function whose other
  /// operand is this number.
  [[nodiscard]] std::optional<graph::ValueId> operand_beside(const graph::Node* node,
                                                             graph::BinaryFunction function,
                                                             double number) const;

 private:
  const Assembly& assembly_;
  ConstantComputer& constants_;
  graph::Readers readers_;
};

template <class Struct>
[[nodiscard]] bool is(const graph::Node* node) {
  return node != nullptr && std::holds_alternative<Struct>(node->op);
}
[[nodiscard]] bool is_function(const graph::Node* node, graph::UnaryFunction function);
[[nodiscard]] bool is_function(const graph::Node* node, graph::BinaryFunction function);

/// Whether an op makes of these operands a value of the type that `result` has, and the result is
/// not folded away as a constant.
[[nodiscard]] bool gives(const Assembly& assembly, const graph::Op& op,
                         const std::vector<graph::ValueId>& inputs, graph::ValueId result);

/// How far, as a share, a number may be off that was rounded to this type twice.
[[nodiscard]] double rounding_of(DType dtype);

}  // namespace rooflab::onnx
