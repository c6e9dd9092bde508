// Functions of two and more elements at one place, and changes of element type.
// Source: ONNX operators of the same names.

#include "base/format.hpp"
#include "op_table.hpp"
#include "rooflab/graph/function_facts.hpp"

namespace rooflab::onnx {
namespace {

using graph::BinaryFunction;
using graph::ValueId;

/// The slope of PRelu has the extents of the channels: [C] for x [N, C, ...] is written [C, 1, 1].
template <BinaryFunction function>
void import_binary(NodeImport& node) {
  node.set_result(0, node.emit(graph::Binary{function}, {node.operand(0), node.operand(1)}));
}

/// n operands are n - 1 binary ops.
template <BinaryFunction function>
ValueId accumulated(NodeImport& node) {
  ValueId total = node.operand(0);
  for (std::size_t i = 1; i < node.operand_count(); ++i) {
    total = node.emit(graph::Binary{function}, {total, node.operand(i)});
  }
  return total;
}

template <BinaryFunction function>
void import_variadic(NodeImport& node) {
  node.set_result(0, accumulated<function>(node));
}

void import_mean(NodeImport& node) {
  const ValueId total = accumulated<BinaryFunction::add>(node);
  ConstantTensor count = ConstantTensor::empty({node.type_of(total).dtype, {}});
  count.push(static_cast<std::int64_t>(node.operand_count()));
  node.set_result(
      0, node.emit(graph::Binary{BinaryFunction::div}, {total, node.constant(std::move(count))}));
}

/// Whole numbers take the divisor's sign, and with `fmod` the dividend's, as in C; the graph has
/// the first only.
void import_mod(NodeImport& node) {
  if (node.attributes.integer("fmod", 0) != 0) {
    node.note_values("with the sign of the dividend has that of the divisor");
  }
  import_binary<BinaryFunction::mod>(node);
}

void import_where(NodeImport& node) {
  node.set_result(0,
                  node.emit(graph::Where{}, {node.operand(0), node.operand(1), node.operand(2)}));
}

ValueId cast(NodeImport& node, ValueId x, DType to) {
  return node.type_of(x).dtype == to ? x : node.emit(graph::Cast{to}, {x});
}

void import_cast(NodeImport& node) {
  const std::int64_t code = node.attributes.integer("to", 0);
  const std::optional<DType> to =
      code > 0 && code < 1000 ? dtype_of(static_cast<std::int32_t>(code)) : std::nullopt;
  if (!to) throw NotExpressible{format("it casts to the element type {}", code)};
  node.set_result(0, cast(node, node.operand(0), *to));
}

void import_cast_like(NodeImport& node) {
  node.set_result(0, cast(node, node.operand(0), node.type(1).dtype));
}

}  // namespace

void add_elementwise_rules(RuleTable& table) {
  add_function_rules<graph::function_rows::binary>(
      table, []<BinaryFunction function>() -> Rule { return import_binary<function>; });
  using enum BinaryFunction;
  table["Mod"] = import_mod;
  table["Sum"] = import_variadic<add>;
  table["Min"] = import_variadic<minimum>;
  table["Max"] = import_variadic<maximum>;
  table["Mean"] = import_mean;
  table["Where"] = import_where;
  table["Cast"] = import_cast;
  table["CastLike"] = import_cast_like;
}

}  // namespace rooflab::onnx
