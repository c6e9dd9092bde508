// Elements chosen or replaced by index tensors. Source: ONNX operators Gather-13,
// GatherElements-13, GatherND-13, ScatterElements-18, ScatterND-18, OneHot-11, NonZero-13.

#include <algorithm>

#include "base/format.hpp"
#include "limits.hpp"
#include "op_table.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;
using graph::ValueId;
using Integers = std::vector<std::int64_t>;

/// Are these all positions of an axis, in order?
bool counts_through(const ConstantTensor* indices, std::int64_t extent) {
  if (indices == nullptr || static_cast<std::int64_t>(indices->size()) != extent) return false;
  for (std::size_t i = 0; i < indices->size(); ++i) {
    if (indices->integer(i) != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

/// The indices, those counted from the end of the axis written from its front where they are known:
/// PyTorch's index_select, embedding, gather and scatter take no others.
ValueId from_the_front(NodeImport& node, std::int64_t extent) {
  const ConstantTensor* indices = node.data(1);
  const auto is_negative = [](std::int64_t index) { return index < 0; };
  if (indices == nullptr || std::ranges::none_of(indices->integers, is_negative)) {
    return node.operand(1);
  }
  ConstantTensor wrapped = ConstantTensor::empty(indices->type);
  for (const std::int64_t index : indices->integers) {
    wrapped.push(index < 0 ? index + extent : index);
  }
  return node.constant(std::move(wrapped));
}

/// One place of an activation, as PyTorch's x[:, 0] takes it: a view.
std::optional<ValueId> selected(NodeImport& node, std::size_t axis) {
  const ConstantTensor* const index = node.data(1);
  const ValueId x = node.operand(0);
  if (index == nullptr || node.shape(1).rank() != 0 || node.facts_of(x).constant) {
    return std::nullopt;
  }
  const std::int64_t extent = node.shape(0)[axis];
  const std::int64_t place = index->integer(0) + (index->integer(0) < 0 ? extent : 0);
  if (place < 0 || place >= extent) return std::nullopt;
  const ValueId row =
      node.emit(graph::Slice{{static_cast<std::int64_t>(axis)}, {place}, {place + 1}, {1}}, {x});
  Integers target = node.shape(0).dims();
  target.erase(target.begin() + static_cast<std::ptrdiff_t>(axis));
  return node.emit(graph::Reshape{std::move(target)}, {row});
}

/// An axis gathered whole and in order only changes its extents: the new exporter writes PyTorch's
/// as_strided so.
void import_gather(NodeImport& node) {
  const std::size_t axis = node.axis(node.attributes.integer("axis", 0), node.shape(0).rank());
  if (counts_through(node.data(1), node.shape(0)[axis])) {
    Integers target = node.shape(0).dims();
    const Integers& inserted = node.shape(1).dims();
    const auto place = target.erase(target.begin() + static_cast<std::ptrdiff_t>(axis));
    target.insert(place, inserted.begin(), inserted.end());
    return node.set_result(0, node.reshape(node.operand(0), std::move(target)));
  }
  if (const std::optional<ValueId> one = selected(node, axis)) return node.set_result(0, *one);
  node.set_result(0, node.emit(graph::Gather{static_cast<std::int64_t>(axis)},
                               {node.operand(0), from_the_front(node, node.shape(0)[axis])}));
}

void import_gather_elements(NodeImport& node) {
  const std::size_t axis = node.axis(node.attributes.integer("axis", 0), node.shape(0).rank());
  const graph::GatherElements op{graph::IndexForm::elements, static_cast<std::int64_t>(axis)};
  node.set_result(0, node.emit(op, {node.operand(0), from_the_front(node, node.shape(0)[axis])}));
}

void import_gather_nd(NodeImport& node) {
  const graph::GatherElements op{graph::IndexForm::nd, 0, node.attributes.integer("batch_dims", 0)};
  node.set_result(0, node.emit(op, {node.operand(0), node.operand(1)}));
}

graph::ScatterReduction reduction_of(NodeImport& node) {
  using enum graph::ScatterReduction;
  const std::string_view word = node.attributes.text("reduction", "none");
  if (word == "none") return none;
  if (word == "add") return add;
  if (word == "mul") return mul;
  if (word == "max") return maximum;
  if (word == "min") return minimum;
  node.fail(format("reduction '{}'", word));
}

void import_scatter_elements(NodeImport& node) {
  const std::size_t axis = node.axis(node.attributes.integer("axis", 0), node.shape(0).rank());
  const graph::Scatter op{graph::IndexForm::elements, static_cast<std::int64_t>(axis),
                          reduction_of(node)};
  const ValueId indices = from_the_front(node, node.shape(0)[axis]);
  node.set_result(0, node.emit(op, {node.operand(0), indices, node.operand(2)}));
}

void import_scatter_nd(NodeImport& node) {
  const graph::Scatter op{graph::IndexForm::nd, 0, reduction_of(node)};
  node.set_result(0, node.emit(op, {node.operand(0), node.operand(1), node.operand(2)}));
}

/// Every index compared with 0 .. depth - 1.
void import_one_hot(NodeImport& node) {
  const Shape shape = node.shape(0);
  const Integers depth = node.integers(1, "depth");
  if (depth.size() != 1 || depth[0] < 0 || depth[0] > max_extent) node.fail("absurd depth");
  const std::size_t axis = node.axis(node.attributes.integer("axis", -1), shape.rank() + 1);
  Integers apart = shape.dims();
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  Integers classes(shape.rank() + 1, 1);
  classes[axis] = depth[0];
  const graph::TensorType type{node.type(0).dtype, Shape(std::move(classes))};
  const auto count = [type] {
    ConstantTensor tensor = ConstantTensor::empty(type);
    for (std::int64_t i = 0; i < type.shape.elements(); ++i) tensor.push(i);
    return tensor;
  };
  const ValueId counted = node.constant_of_type(type, count);
  const ConstantTensor* values = node.data(2);
  const bool plain = values != nullptr && values->size() == 2 && values->number(0) == 0.0 &&
                     values->number(1) == 1.0;
  if (!plain) node.note_values("with other values runs with 0 and 1");
  const ValueId indices = node.reshape(node.operand(0), std::move(apart));
  const ValueId hot = node.emit(graph::Binary{graph::BinaryFunction::equal}, {indices, counted});
  node.set_result(0, node.emit(graph::Cast{node.type(2).dtype}, {hot}));
}

/// Positions of what is not zero: the extent of the result is only known for constants.
void import_non_zero(NodeImport& node) {
  const ConstantTensor* data = node.data(0);
  if (data == nullptr) throw NotExpressible{"its result's extents depend on the data"};
  const std::size_t rank = node.shape(0).rank();
  std::vector<Integers> coordinates(rank);
  Positions positions(data->type.shape);
  for (std::size_t i = 0; i < data->size(); ++i, positions.advance()) {
    if (data->number(i) == 0.0) continue;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      coordinates[axis].push_back(positions.index()[axis]);
    }
  }
  const std::int64_t found = rank == 0 ? 0 : static_cast<std::int64_t>(coordinates.front().size());
  ConstantTensor result =
      ConstantTensor::empty({DType::i64, Shape{static_cast<std::int64_t>(rank), found}});
  for (const Integers& axis : coordinates) {
    for (const std::int64_t position : axis) result.push(position);
  }
  node.set_result(0, node.constant(std::move(result)));
}

}  // namespace

void add_indexing_rules(RuleTable& table) {
  table["Gather"] = import_gather;
  table["GatherElements"] = import_gather_elements;
  table["GatherND"] = import_gather_nd;
  table["ScatterElements"] = import_scatter_elements;
  table["ScatterND"] = import_scatter_nd;
  table["Scatter"] = import_scatter_elements;
  table["OneHot"] = import_one_hot;
  table["NonZero"] = import_non_zero;
}

}  // namespace rooflab::onnx
