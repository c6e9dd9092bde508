// Ops that only look at the same elements differently, and those that ask for extents.
//
// Shape and Size have a constant result whatever their operand is, because all extents are concrete
// here: that is what makes the shape arithmetic of a dynamic export fold away.
// Source: ONNX operators Reshape-14, Squeeze-13, Unsqueeze-13, Slice-13, Split-18, Expand-13,
// DepthToSpace-13, Shape-15.

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "op_table.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;
using graph::ValueId;
using Integers = std::vector<std::int64_t>;

void import_shape(NodeImport& node) {
  const Shape& shape = node.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const auto clamped = [rank](std::int64_t at) {
    // The attribute is the user's: do not negate or add before it is in range.
    if (at < 0) at = at < -rank ? 0 : at + rank;
    return std::min(at, rank);
  };
  const std::int64_t begin = clamped(node.attributes.integer("start", 0));
  const std::int64_t end = clamped(node.attributes.integer("end", rank));
  Integers extents;
  for (std::int64_t i = begin; i < end; ++i) extents.push_back(shape[static_cast<std::size_t>(i)]);
  node.set_result(0, node.constant(ConstantTensor::of(std::move(extents))));
}

void import_size(NodeImport& node) {
  node.set_result(0, node.constant(ConstantTensor::scalar(node.shape(0).elements())));
}

void import_reshape(NodeImport& node) {
  Integers target = node.integers(1, "target shape");
  const Shape shape = node.shape(0);
  const bool zero_is_zero = node.attributes.integer("allowzero", 0) != 0;
  for (std::size_t i = 0; i < target.size() && !zero_is_zero; ++i) {
    if (target[i] != 0) continue;
    if (i >= shape.rank()) node.fail(format("extent {} is copied from {}", i, shape.to_string()));
    target[i] = shape[i];
  }
  const bool same = std::ranges::equal(target, shape.dims());
  node.set_result(
      0, same ? node.operand(0) : node.emit(graph::Reshape{std::move(target)}, {node.operand(0)}));
}

void import_flatten(NodeImport& node) {
  const Shape& shape = node.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const std::int64_t given = node.attributes.integer("axis", 1);
  if (given < -rank || given > rank) node.fail(format("axis {} of {}", given, shape.to_string()));
  const std::int64_t axis = given < 0 ? given + rank : given;
  // The leading part is written out and the rest left open, which is what the batch needs.
  const bool empty = shape.elements() == 0;
  std::int64_t leading = 1;
  std::int64_t rest = 1;
  for (std::int64_t i = 0; i < rank; ++i) {
    (i < axis ? leading : rest) *= shape[static_cast<std::size_t>(i)];
  }
  const graph::Reshape op{{leading, empty ? rest : -1}};
  node.set_result(0, node.emit(op, {node.operand(0)}));
}

void import_squeeze(NodeImport& node) {
  const Shape shape = node.shape(0);
  const std::optional<Integers> given = node.integers_of("axes", 1);
  std::vector<bool> drop(shape.rank(), false);
  for (std::size_t i = 0; i < shape.rank() && !given; ++i) drop[i] = shape[i] == 1;
  for (const std::int64_t axis : given.value_or(Integers{})) {
    const std::size_t place = node.axis(axis, shape.rank());
    if (shape[place] != 1) {
      node.fail(format("cannot squeeze axis {} of {}", axis, shape.to_string()));
    }
    drop[place] = true;
  }
  Integers target;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (!drop[i]) target.push_back(shape[i]);
  }
  node.set_result(0, node.reshape(node.operand(0), std::move(target)));
}

void import_unsqueeze(NodeImport& node) {
  const Shape shape = node.shape(0);
  const Integers axes = node.integers_of("axes", 1).value_or(Integers{});
  const std::size_t rank = shape.rank() + axes.size();
  std::vector<bool> added(rank, false);
  for (const std::int64_t axis : axes) added[node.axis(axis, rank)] = true;
  if (static_cast<std::size_t>(std::ranges::count(added, true)) != axes.size()) {
    node.fail("an axis is added twice");
  }
  Integers target;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) target.push_back(added[i] ? 1 : shape[next++]);
  node.set_result(0, node.reshape(node.operand(0), std::move(target)));
}

void import_transpose(NodeImport& node) {
  const std::size_t rank = node.shape(0).rank();
  Integers permutation;
  for (std::size_t i = rank; i-- > 0;) permutation.push_back(static_cast<std::int64_t>(i));
  if (const auto given = node.attributes.integers("perm")) permutation = *given;
  if (permutation.size() != rank) {
    node.fail(format("a permutation of {} dimensions for {}", permutation.size(),
                     node.shape(0).to_string()));
  }
  for (std::int64_t& axis : permutation) axis = static_cast<std::int64_t>(node.axis(axis, rank));
  node.set_result(0, node.transpose(node.operand(0), std::move(permutation)));
}

/// ONNX's Expand broadcasts both ways: an extent of 1 in the target keeps the operand's.
void import_expand(NodeImport& node) {
  const Shape target(node.integers(1, "target shape"));
  for (const std::int64_t extent : target.dims()) {
    if (extent < 0) node.fail(format("an expanded extent is {}", extent));
  }
  const Shape result = graph::broadcast(node.shape(0), target);
  const bool same = result == node.shape(0);
  node.set_result(
      0, same ? node.operand(0) : node.emit(graph::Expand{result.dims()}, {node.operand(0)}));
}

/// A position clamped as the operator says: `low` and `high` are the ends of the valid range.
std::int64_t clamped(std::int64_t at, std::int64_t extent, std::int64_t low, std::int64_t high) {
  if (at < 0) at = at < -extent ? std::numeric_limits<std::int64_t>::min() : at + extent;
  return std::clamp(at, low, high);
}

void import_slice(NodeImport& node) {
  const Shape shape = node.shape(0);
  const Integers starts = node.integers_of("starts", 1).value_or(Integers{});
  const Integers ends = node.integers_of("ends", 2).value_or(Integers{});
  Integers axes = node.integers_of("axes", 3).value_or(Integers{});
  Integers steps = node.has(4) ? node.integers(4, "steps") : Integers(starts.size(), 1);
  const bool all_axes = axes.empty();
  for (std::size_t axis = 0; all_axes && axis < starts.size(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    node.fail("starts, ends, axes and steps of a slice differ in number");
  }
  graph::Slice op;
  std::vector<bool> used(shape.rank(), false);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = node.axis(axes[i], shape.rank());
    const std::int64_t extent = shape[axis];
    if (used[axis]) node.fail(format("axis {} is sliced twice", axis));
    used[axis] = true;
    if (steps[i] == 0) node.fail("a slice with a step of 0");
    const bool forward = steps[i] > 0;
    const std::int64_t last = std::max<std::int64_t>(extent - 1, 0);
    const std::int64_t begin = clamped(starts[i], extent, 0, forward ? extent : last);
    const std::int64_t end =
        forward ? clamped(ends[i], extent, 0, extent) : clamped(ends[i], extent, -1, last);
    if (begin == 0 && end == extent && steps[i] == 1) continue;
    op.axes.push_back(static_cast<std::int64_t>(axis));
    op.begin.push_back(begin);
    op.end.push_back(forward ? std::max(begin, end) : end);
    // A step beyond the extent takes one element, however far beyond.
    op.step.push_back(std::clamp(steps[i], -extent - 1, extent + 1));
  }
  node.set_result(0,
                  op.axes.empty() ? node.operand(0) : node.emit(std::move(op), {node.operand(0)}));
}

void import_split(NodeImport& node) {
  const std::size_t axis = node.axis(node.attributes.integer("axis", 0), node.shape(0).rank());
  const std::int64_t extent = node.shape(0)[axis];
  graph::Split op{static_cast<std::int64_t>(axis), {}};
  if (const std::optional<Integers> sizes = node.integers_of("split", 1)) {
    op.sizes = *sizes;
  } else {
    const auto parts = static_cast<std::int64_t>(node.result_count());
    const std::int64_t chunk = parts == 0 ? 0 : (extent + parts - 1) / parts;
    std::int64_t left = extent;
    for (std::int64_t i = 0; i < parts; ++i) {
      op.sizes.push_back(std::min(chunk, left));
      left -= op.sizes.back();
    }
  }
  if (op.sizes.size() != node.result_count()) {
    node.fail(format("a split into {} parts has {} results", op.sizes.size(), node.result_count()));
  }
  if (op.sizes.size() == 1 && op.sizes[0] == extent) return node.set_result(0, node.operand(0));
  const std::vector<ValueId> parts = node.emit_all(std::move(op), {node.operand(0)});
  for (std::size_t i = 0; i < parts.size(); ++i) node.set_result(i, parts[i]);
}

/// A block of `block` x `block` pixels from channels or to channels: two reshapes around a
/// transpose, as the operator's definition says.
void import_depth_to_space(NodeImport& node) {
  const Shape shape = node.shape(0);
  const std::int64_t block = node.attributes.integer("blocksize", 0);
  if (shape.rank() != 4 || block <= 0 || block > (1 << 15) || shape[1] % (block * block) != 0) {
    node.fail(format("depth to space in blocks of {} of {}", block, shape.to_string()));
  }
  const std::int64_t channels = shape[1] / (block * block);
  const bool crd = node.attributes.text("mode", "DCR") == "CRD";
  const Integers apart = crd ? Integers{shape[0], channels, block, block, shape[2], shape[3]}
                             : Integers{shape[0], block, block, channels, shape[2], shape[3]};
  ValueId x = node.emit(graph::Reshape{apart}, {node.operand(0)});
  x = node.transpose(x, crd ? Integers{0, 1, 4, 2, 5, 3} : Integers{0, 3, 4, 1, 5, 2});
  node.set_result(
      0, node.emit(graph::Reshape{{shape[0], channels, shape[2] * block, shape[3] * block}}, {x}));
}

void import_space_to_depth(NodeImport& node) {
  const Shape shape = node.shape(0);
  const std::int64_t block = node.attributes.integer("blocksize", 0);
  if (shape.rank() != 4 || block <= 0 || shape[2] % block != 0 || shape[3] % block != 0) {
    node.fail(format("space to depth in blocks of {} of {}", block, shape.to_string()));
  }
  const std::int64_t height = shape[2] / block;
  const std::int64_t width = shape[3] / block;
  ValueId x = node.emit(graph::Reshape{{shape[0], shape[1], height, block, width, block}},
                        {node.operand(0)});
  x = node.transpose(x, {0, 3, 5, 1, 2, 4});
  node.set_result(0, node.emit(graph::Reshape{{shape[0], -1, height, width}}, {x}));
}

}  // namespace

void add_view_rules(RuleTable& table) {
  table["Shape"] = import_shape;
  table["Size"] = import_size;
  table["Reshape"] = import_reshape;
  table["Flatten"] = import_flatten;
  table["Squeeze"] = import_squeeze;
  table["Unsqueeze"] = import_unsqueeze;
  table["Transpose"] = import_transpose;
  table["Expand"] = import_expand;
  table["Slice"] = import_slice;
  table["Split"] = import_split;
  table["DepthToSpace"] = import_depth_to_space;
  table["SpaceToDepth"] = import_space_to_depth;
}

}  // namespace rooflab::onnx
