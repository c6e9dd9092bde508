#pragma once

#include <optional>
#include <vector>

#include "assembly.hpp"
#include "constant_computer.hpp"
#include "graph/value_readers.hpp"

namespace rooflab::onnx {

/// Queries about the nodes around a value, for finding ops that an exporter decomposed. The
/// assembly must have no unused nodes, and no readers that were added later.
class Pattern {
 public:
  Pattern(const Assembly& assembly, ConstantComputer& constants)
      : assembly_(assembly), constants_(constants), readers_(assembly.graph) {}

  [[nodiscard]] const Assembly& assembly() const { return assembly_; }
  [[nodiscard]] const graph::Shape& shape(graph::ValueId id) const {
    return assembly_.type(id).shape;
  }
  [[nodiscard]] bool is_constant(graph::ValueId id) const { return assembly_.facts(id).constant; }

  /// The node that makes a value; nullptr for inputs and stored values.
  [[nodiscard]] const graph::Node* maker(graph::ValueId id) const;
  /// The node that makes a value that is read exactly `reads` times; nullptr otherwise. The
  /// network's caller counts as a reader of its outputs.
  [[nodiscard]] const graph::Node* only_maker(graph::ValueId id, int reads = 1) const;
  /// The only node that reads the only result of a node; nullptr where several nodes or the caller
  /// read it.
  [[nodiscard]] const graph::Node* only_reader(const graph::Node& node) const;

  /// The only element of a constant; nullopt for others.
  [[nodiscard]] std::optional<double> number(graph::ValueId id) const;
  /// Whether a constant is this number, rounded to the value's type.
  [[nodiscard]] bool is_number(graph::ValueId id, double expected) const;

  /// The other operand of a node with this function if one operand is `id`; else nullopt.
  [[nodiscard]] std::optional<graph::ValueId> other_operand(const graph::Node* node,
                                                            graph::BinaryFunction function,
                                                            graph::ValueId id) const;
  /// The non-constant operand of a node with this function whose other operand is this number; else
  /// nullopt.
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

/// Whether an op makes a value with the type of `result` from these operands, and is not folded to
/// a constant.
[[nodiscard]] bool gives(const Assembly& assembly, const graph::Op& op,
                         const std::vector<graph::ValueId>& inputs, graph::ValueId result);

/// Largest relative error of a number that was rounded to this type twice.
[[nodiscard]] double rounding_of(DType dtype);

}  // namespace rooflab::onnx
