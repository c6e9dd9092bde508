// Operators whose results are as long as the data say, but no longer than their inputs say. Boxes
// before a suppression are (images, boxes, 4), scores (images, classes, boxes).
// Source: ONNX operators NonMaxSuppression-11, NonZero-13, Unique-11, Compress-11.

#include "result_bounds.hpp"

#include <algorithm>
#include <map>

#include "rooflab/base/quantity.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;
using graph::TensorType;
using Types = std::vector<TensorType>;

/// For each image and class the boxes that are kept, at most as many as operand 2 says; without it
/// none are. Each is an image, a class and a box.
Types of_suppression(const NodeImport& node) {
  const Shape& scores = node.shape(1);
  if (scores.rank() != 3) return {};
  std::int64_t kept = scores[2];
  if (const ConstantTensor* const most = node.has(2) ? node.data(2) : nullptr) {
    if (most->size() != 1) return {};
    // Exporters write 2^63 - 1 for "all".
    const double asked = std::max(most->number(0), 0.0);
    if (asked < static_cast<double>(kept)) kept = static_cast<std::int64_t>(asked);
  } else if (!node.has(2)) {
    kept = 0;
  }
  const std::int64_t rows = checked_multiply(checked_multiply(scores[0], scores[1]), kept);
  return {{DType::i64, Shape{rows, 3}}};
}

Types of_non_zero(const NodeImport& node) {
  const Shape& x = node.shape(0);
  return {{DType::i64, Shape{static_cast<std::int64_t>(x.rank()), x.elements()}}};
}

/// The shape of operand 0 in full, along an axis or flattened; and the extent that is selected
/// from.
std::pair<Shape, std::int64_t> selected_from(const NodeImport& node) {
  const Shape& x = node.shape(0);
  if (!node.attributes.has("axis")) return {Shape{x.elements()}, x.elements()};
  const std::size_t axis = node.axis(node.attributes.integer("axis", 0), x.rank());
  return {x, x[axis]};
}

/// The values, where each comes first, which of them each element is, and how often each is there.
Types of_unique(const NodeImport& node) {
  const auto [values, most] = selected_from(node);
  const TensorType positions{DType::i64, Shape{most}};
  return {{node.type(0).dtype, values}, positions, positions, positions};
}

Types of_compress(const NodeImport& node) {
  return {{node.type(0).dtype, selected_from(node).first}};
}

}  // namespace

std::vector<TensorType> largest_results(const NodeImport& node) {
  using Bound = Types (*)(const NodeImport&);
  static const std::map<std::string_view, Bound> bounds = {{"NonMaxSuppression", of_suppression},
                                                           {"NonZero", of_non_zero},
                                                           {"Unique", of_unique},
                                                           {"Compress", of_compress}};
  const auto bound = bounds.find(node.op_type());
  if (bound == bounds.end()) return {};
  for (const graph::ValueId id : node.operands()) {
    if (!node.facts_of(id).known) return {};
  }
  return bound->second(node);
}

}  // namespace rooflab::onnx
