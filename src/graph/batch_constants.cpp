#include "batch_constants.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "extent_scaler.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::graph {
namespace {

using Constants = std::vector<BatchConstant>;

/// Nodes between a constant and the node that needs it at most.
constexpr int max_depth = 16;

/// Elements before, along and after an axis.
struct Rows {
  std::size_t outer = 1;
  std::size_t count = 1;
  std::size_t inner = 1;

  Rows(const Shape& shape, std::size_t axis) : count(static_cast<std::size_t>(shape[axis])) {
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      if (i != axis) (i < axis ? outer : inner) *= static_cast<std::size_t>(shape[i]);
    }
  }
};

template <class Number>
bool rows_are_equal(const std::vector<Number>& elements, const Rows& rows) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t block = i / (rows.inner * rows.count);
    if (elements[i] != elements[block * rows.inner * rows.count + i % rows.inner]) return false;
  }
  return true;
}

template <class Number>
std::vector<Number> first_rows(const std::vector<Number>& elements, const Rows& rows,
                               std::size_t batch) {
  std::vector<Number> result;
  if (elements.empty()) return result;
  for (std::size_t block = 0; block < rows.outer; ++block) {
    const auto begin =
        elements.begin() + static_cast<std::ptrdiff_t>(block * rows.count * rows.inner);
    for (std::size_t sample = 0; sample < batch; ++sample) {
      result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(rows.inner));
    }
  }
  return result;
}

class Search {
 public:
  explicit Search(const BatchFollowed& followed) : followed_(followed) {}

  BatchConstants behind(const Node& node) {
    std::vector<Grown> all;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (const std::optional<std::size_t> axis = aligned_axis(node, k)) all.push_back({k, *axis});
    }
    // All of them, as in a Where; else one.
    std::vector<std::vector<Grown>> choices = {all};
    for (const Grown& one : all) choices.push_back({one});
    for (const std::vector<Grown>& choice : choices) {
      if (choice.empty() || !fits(node, choice)) continue;
      Constants found;
      const bool every = std::ranges::all_of(choice, [&](const Grown& grown) {
        return roots(node.inputs[grown.operand], grown.axis, found, 0);
      });
      if (every) return {std::move(found), {}};
    }
    return {{}, reason_};
  }

 private:
  /// An operand that grows along an axis.
  struct Grown {
    std::size_t operand;
    std::size_t axis;
  };

  [[nodiscard]] bool holds_batch(ValueId id, std::size_t axis) const {
    const Shape& shape = followed_.graph.type(id).shape;
    return axis < shape.rank() && shape[axis] == followed_.batch;
  }

  /// The axis of an operand without batch that lies where a neighbour holds the batch: counted from
  /// the end, as broadcasting does, or from the front.
  [[nodiscard]] std::optional<std::size_t> aligned_axis(const Node& node, std::size_t k) const {
    const ValueId id = node.inputs[k];
    if (followed_.places[index_of(id)]) return std::nullopt;
    const std::size_t rank = followed_.graph.type(id).shape.rank();
    for (const ValueId other : node.inputs) {
      const std::optional<BatchPlace>& place = followed_.places[index_of(other)];
      if (!place) continue;
      const std::size_t distance = followed_.graph.type(other).shape.rank() - place->axis;
      if (distance <= rank && holds_batch(id, rank - distance)) return rank - distance;
      if (holds_batch(id, place->axis)) return place->axis;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool fits(const Node& node, const std::vector<Grown>& choice) const {
    std::vector<TensorType> operands;
    for (const ValueId id : node.inputs) operands.push_back(followed_.probed[index_of(id)]);
    for (const Grown& grown : choice) operands[grown.operand].shape[grown.axis] = followed_.probe;
    try {
      (void)infer_types(node.op, operands);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  /// Appends the constants that make a value grow along an axis; false where none do.
  bool roots(ValueId id, std::size_t axis, Constants& found, int depth) {
    const Value& value = followed_.graph.value(id);
    if (followed_.places[index_of(id)]) return false;
    if (value.kind == ValueKind::constant) {
      const Rows rows(value.type.shape, axis);
      if (value.data && !(rows_are_equal(value.data->integers, rows) &&
                          rows_are_equal(value.data->numbers, rows))) {
        reason_ = format("the constant '{}' holds other values for each sample", value.name);
        return false;
      }
      found.push_back({id, axis});
      return true;
    }
    if (value.kind != ValueKind::result) {
      reason_ = format("'{}' is trained for each sample apart", value.name);
      return false;
    }
    if (depth == max_depth) return false;
    const Node& node = followed_.graph.nodes[index_of(value.producer)];
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const ValueId operand = node.inputs[k];
      for (std::size_t at = 0; at < followed_.graph.type(operand).shape.rank(); ++at) {
        if (!holds_batch(operand, at) || !makes_grow(node, {k, at}, id, axis)) continue;
        if (roots(operand, at, found, depth + 1)) return true;
      }
    }
    return false;
  }

  /// Whether a result grows along the axis, and nowhere else, when one operand grows.
  [[nodiscard]] bool makes_grow(const Node& node, const Grown& grown, ValueId result,
                                std::size_t axis) const {
    std::vector<TensorType> operands;
    for (const ValueId id : node.inputs) operands.push_back(followed_.graph.type(id));
    operands[grown.operand].shape[grown.axis] = followed_.probe;
    TensorType wanted = followed_.graph.type(result);
    wanted.shape[axis] = followed_.probe;
    try {
      const Op op = with_batch_at(node.op, axis, followed_.batch, followed_.probe);
      const std::vector<TensorType> types = infer_types(op, operands);
      const auto place = std::ranges::find(node.outputs, result) - node.outputs.begin();
      return types[static_cast<std::size_t>(place)] == wanted;
    } catch (const Error&) {
      return false;
    }
  }

  const BatchFollowed& followed_;
  std::string reason_;
};

}  // namespace

BatchConstants constants_with_batch(const BatchFollowed& followed, const Node& node) {
  return Search(followed).behind(node);
}

ConstantData rows_repeated(const ConstantData& data, const Shape& shape, std::size_t axis,
                           std::int64_t batch) {
  const Rows rows(shape, axis);
  const auto count = static_cast<std::size_t>(batch);
  return {first_rows(data.integers, rows, count), first_rows(data.numbers, rows, count)};
}

}  // namespace rooflab::graph
