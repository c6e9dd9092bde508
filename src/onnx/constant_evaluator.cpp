// Graph ops on small constants.
//
// An exporter writes shape arithmetic with the same ops as the network (Shape, Gather, Mul, Concat,
// Reshape), so it is translated by the same rules and evaluated here, on the graph's own ops. Every
// data movement is one pattern: walk the result's positions and say which operand element lands
// there. Integer arithmetic wraps, float arithmetic rounds to float; a division by zero or an index
// outside its tensor gives no result, and the user of the value reports that it is not known.

#include "constant_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "element_functions.hpp"
#include "indexed_element.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;
using graph::TensorType;
using Operands = std::span<const ConstantTensor* const>;
using Types = std::span<const TensorType>;
using Results = std::optional<std::vector<ConstantTensor>>;

Results one(ConstantTensor tensor) {
  std::vector<ConstantTensor> results;
  results.push_back(std::move(tensor));
  return results;
}

/// Fills a result element by element: `source(index)` is the flat operand index, negative for none.
template <class SourceOf>
Results moved(const ConstantTensor& from, const TensorType& type, SourceOf&& source_of) {
  ConstantTensor result = ConstantTensor::empty(type);
  const auto count = static_cast<std::size_t>(type.shape.elements());
  Positions positions(type.shape);
  for (std::size_t i = 0; i < count; ++i, positions.advance()) {
    const std::int64_t source = source_of(positions.index());
    if (source < 0 || source >= static_cast<std::int64_t>(from.size())) return std::nullopt;
    result.push_element(from, static_cast<std::size_t>(source));
  }
  return one(std::move(result));
}

/// Flat index into a tensor broadcast to a result position.
std::size_t broadcast_index(const Shape& shape, std::span<const std::int64_t> position) {
  std::size_t flat = 0;
  const std::size_t lead = position.size() - shape.rank();
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const std::int64_t index = shape[i] == 1 ? 0 : position[lead + i];
    flat = flat * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(index);
  }
  return flat;
}

/// `alpha` and `beta` are the bounds.
Results clipped(const graph::Unary& op, const ConstantTensor& x, const TensorType& type) {
  ConstantTensor result = ConstantTensor::empty(type);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double value = x.number(i);
    if (op.alpha) value = std::fmax(value, *op.alpha);
    if (op.beta) value = std::fmin(value, *op.beta);
    result.push(value);
  }
  return one(std::move(result));
}

Results run(const graph::Unary& op, Operands operands, Types types) {
  const ConstantTensor& x = *operands[0];
  if (op.function == graph::UnaryFunction::clip && (op.alpha || op.beta)) {
    return clipped(op, x, types[0]);
  }
  ConstantTensor result = ConstantTensor::empty(types[0]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x.floating()) {
      const std::optional<double> value = value_of(op.function, x.numbers[i]);
      if (!value) return std::nullopt;
      result.push(*value);
    } else {
      const std::optional<std::int64_t> value = value_of(op.function, x.integers[i]);
      if (!value) return std::nullopt;
      result.push(*value);
    }
  }
  return one(std::move(result));
}

Results run(const graph::Binary& op, Operands operands, Types types) {
  const ConstantTensor& a = *operands[0];
  const ConstantTensor& b = *operands[1];
  ConstantTensor result = ConstantTensor::empty(types[0]);
  const auto count = static_cast<std::size_t>(types[0].shape.elements());
  Positions positions(types[0].shape);
  for (std::size_t i = 0; i < count; ++i, positions.advance()) {
    const std::size_t at_a = broadcast_index(a.type.shape, positions.index());
    const std::size_t at_b = broadcast_index(b.type.shape, positions.index());
    if (a.floating() || b.floating()) {
      const std::optional<double> value = value_of(op.function, a.number(at_a), b.number(at_b));
      if (!value) return std::nullopt;
      result.push(*value);
    } else {
      const auto value = value_of(op.function, a.integers[at_a], b.integers[at_b]);
      if (!value) return std::nullopt;
      result.push(*value);
    }
  }
  return one(std::move(result));
}

Results run(const graph::Where&, Operands operands, Types types) {
  ConstantTensor result = ConstantTensor::empty(types[0]);
  const auto count = static_cast<std::size_t>(types[0].shape.elements());
  Positions positions(types[0].shape);
  for (std::size_t i = 0; i < count; ++i, positions.advance()) {
    const std::size_t at = broadcast_index(operands[0]->type.shape, positions.index());
    const ConstantTensor& chosen = operands[0]->number(at) != 0.0 ? *operands[1] : *operands[2];
    result.push_element(chosen, broadcast_index(chosen.type.shape, positions.index()));
  }
  return one(std::move(result));
}

/// The elements of `from` under another type.
Results relabelled(const ConstantTensor& from, const TensorType& type) {
  ConstantTensor result = ConstantTensor::empty(type);
  for (std::size_t i = 0; i < from.size(); ++i) result.push_element(from, i);
  return one(std::move(result));
}

Results run(const graph::Cast&, Operands operands, Types types) {
  return relabelled(*operands[0], types[0]);
}

Results run(const graph::Reshape&, Operands operands, Types types) {
  return relabelled(*operands[0], types[0]);
}

Results run(const graph::Contiguous&, Operands operands, Types types) {
  return relabelled(*operands[0], types[0]);
}

Results run(const graph::Transpose& op, Operands operands, Types types) {
  const std::vector<std::int64_t> strides = strides_of(operands[0]->type.shape);
  return moved(*operands[0], types[0], [&](std::span<const std::int64_t> at) {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      flat += at[i] * strides[static_cast<std::size_t>(op.permutation[i])];
    }
    return flat;
  });
}

Results run(const graph::Expand&, Operands operands, Types types) {
  return moved(*operands[0], types[0], [&](std::span<const std::int64_t> at) {
    return static_cast<std::int64_t>(broadcast_index(operands[0]->type.shape, at));
  });
}

Results run(const graph::Triangle& op, Operands operands, Types types) {
  const ConstantTensor& x = *operands[0];
  const Shape& shape = types[0].shape;
  if (shape.rank() < 2) return std::nullopt;
  ConstantTensor result = ConstantTensor::empty(types[0]);
  Positions positions(shape);
  for (std::size_t i = 0; i < x.size(); ++i, positions.advance()) {
    const std::span<const std::int64_t> at = positions.index();
    const std::int64_t above = at[at.size() - 1] - at[at.size() - 2];
    if (op.upper ? above >= op.diagonal : above <= op.diagonal) {
      result.push_element(x, i);
    } else {
      result.push(std::int64_t{0});
    }
  }
  return one(std::move(result));
}

Results run(const graph::Slice& op, Operands operands, Types types) {
  const std::vector<std::int64_t> strides = strides_of(operands[0]->type.shape);
  return moved(*operands[0], types[0], [&](std::span<const std::int64_t> at) {
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      std::int64_t index = at[axis];
      for (std::size_t i = 0; i < op.axes.size(); ++i) {
        if (op.axes[i] == static_cast<std::int64_t>(axis)) index = op.begin[i] + index * op.step[i];
      }
      flat += index * strides[axis];
    }
    return flat;
  });
}

Results run(const graph::Split& op, Operands operands, Types types) {
  const std::vector<std::int64_t> strides = strides_of(operands[0]->type.shape);
  std::vector<ConstantTensor> parts;
  std::int64_t begin = 0;
  for (std::size_t part = 0; part < types.size(); ++part) {
    Results moved_part = moved(*operands[0], types[part], [&](std::span<const std::int64_t> at) {
      std::int64_t flat = begin * strides[static_cast<std::size_t>(op.axis)];
      for (std::size_t i = 0; i < at.size(); ++i) flat += at[i] * strides[i];
      return flat;
    });
    if (!moved_part) return std::nullopt;
    parts.push_back(std::move(moved_part->front()));
    begin += op.sizes[part];
  }
  return parts;
}

Results run(const graph::Concat& op, Operands operands, Types types) {
  ConstantTensor result = ConstantTensor::empty(types[0]);
  const auto axis = static_cast<std::size_t>(op.axis);
  const Shape& shape = types[0].shape;
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  if (outer == 0) return one(std::move(result));
  for (std::int64_t row = 0; row < outer; ++row) {
    for (const ConstantTensor* part : operands) {
      const std::size_t run_length = part->size() / static_cast<std::size_t>(outer);
      for (std::size_t i = 0; i < run_length; ++i) {
        result.push_element(*part, static_cast<std::size_t>(row) * run_length + i);
      }
    }
  }
  return one(std::move(result));
}

Results run(const graph::Gather& op, Operands operands, Types types) {
  const Shape& data = operands[0]->type.shape;
  const ConstantTensor& indices = *operands[1];
  const auto axis = static_cast<std::size_t>(op.axis);
  const std::vector<std::int64_t> strides = strides_of(data);
  const std::vector<std::int64_t> index_strides = strides_of(indices.type.shape);
  const std::size_t index_rank = indices.type.shape.rank();
  return moved(*operands[0], types[0], [&](std::span<const std::int64_t> at) -> std::int64_t {
    std::int64_t which = 0;
    for (std::size_t i = 0; i < index_rank; ++i) which += at[axis + i] * index_strides[i];
    std::int64_t chosen = indices.integer(static_cast<std::size_t>(which));
    if (chosen < 0) chosen += data[axis];
    if (chosen < 0 || chosen >= data[axis]) return -1;
    std::int64_t flat = chosen * strides[axis];
    for (std::size_t i = 0; i < data.rank(); ++i) {
      if (i < axis) flat += at[i] * strides[i];
      if (i > axis) flat += at[i + index_rank - 1] * strides[i];
    }
    return flat;
  });
}

Results run(const graph::GatherElements& op, Operands operands, Types types) {
  return moved(
      *operands[0], types[0],
      IndexedElement(op.form, op.axis, op.batch_dims, operands[0]->type.shape, *operands[1]));
}

Results run(const graph::Scatter& op, Operands operands, Types types) {
  const ConstantTensor& data = *operands[0];
  const ConstantTensor& updates = *operands[2];
  // Combined values are not needed: only masks and shapes are made so.
  if (op.reduction != graph::ScatterReduction::none) return std::nullopt;
  const IndexedElement element_at(op.form, op.axis, 0, data.type.shape, *operands[1]);
  std::vector<std::size_t> update_of(data.size(), updates.size());  // the last one: kept
  Positions positions(updates.type.shape);
  for (std::size_t i = 0; i < updates.size(); ++i, positions.advance()) {
    const std::int64_t flat = element_at(positions.index());
    if (flat < 0 || flat >= static_cast<std::int64_t>(data.size())) return std::nullopt;
    update_of[static_cast<std::size_t>(flat)] = i;
  }
  ConstantTensor result = ConstantTensor::empty(types[0]);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool is_kept = update_of[i] == updates.size();
    result.push_element(is_kept ? data : updates, is_kept ? i : update_of[i]);
  }
  return one(std::move(result));
}

Results run(const graph::Reduce& op, Operands operands, Types types) {
  using enum graph::ReduceFunction;
  const ConstantTensor& x = *operands[0];
  // All elements to one, the only reduction in shape arithmetic.
  if (types[0].shape.elements() != 1 || x.size() == 0) return std::nullopt;
  ConstantTensor result = ConstantTensor::empty(types[0]);
  const auto fold = [&](graph::BinaryFunction function) -> Results {
    ConstantTensor total = ConstantTensor::empty({x.type.dtype, {}});
    total.push_element(x, 0);
    for (std::size_t i = 1; i < x.size(); ++i) {
      ConstantTensor next = ConstantTensor::empty(total.type);
      if (x.floating()) {
        next.push(*value_of(function, total.numbers[0], x.numbers[i]));
      } else {
        next.push(*value_of(function, total.integers[0], x.integers[i]));
      }
      total = std::move(next);
    }
    result.push_element(total, 0);
    return one(std::move(result));
  };
  switch (op.function) {
    case product:
      return fold(graph::BinaryFunction::mul);
    case sum:
      return fold(graph::BinaryFunction::add);
    case maximum:
      return fold(graph::BinaryFunction::maximum);
    case minimum:
      return fold(graph::BinaryFunction::minimum);
    case mean: {
      const std::vector<double> values = x.as_numbers();
      const double sum_of = std::accumulate(values.begin(), values.end(), 0.0);
      result.push(sum_of / static_cast<double>(values.size()));
      return one(std::move(result));
    }
    default:
      return std::nullopt;
  }
}

Results run(const graph::CumulativeSum& op, Operands operands, Types types) {
  const ConstantTensor& x = *operands[0];
  const Shape& shape = types[0].shape;
  const std::int64_t signed_axis =
      op.axis < 0 ? op.axis + static_cast<std::int64_t>(shape.rank()) : op.axis;
  const auto axis = static_cast<std::size_t>(signed_axis);
  const std::int64_t stride = strides_of(shape)[axis];
  ConstantTensor result = ConstantTensor::empty(types[0]);
  Positions positions(shape);
  for (std::size_t i = 0; i < x.size(); ++i, positions.advance()) {
    const std::size_t before = i - static_cast<std::size_t>(stride);
    const bool first = positions.index()[axis] == 0;
    if (x.floating()) {
      result.push(x.numbers[i] + (first ? 0.0 : result.numbers[before]));
    } else {
      const std::int64_t so_far = first ? 0 : result.integers[before];
      result.push(*value_of(graph::BinaryFunction::add, x.integers[i], so_far));
    }
  }
  return one(std::move(result));
}

template <class AnyOther>
Results run(const AnyOther&, Operands, Types) {
  return std::nullopt;
}

}  // namespace

Results evaluate(const graph::Op& op, std::span<const ConstantTensor* const> operands,
                 std::span<const TensorType> results, std::size_t limit) {
  if (operands.empty()) return std::nullopt;
  for (const TensorType& type : results) {
    if (type.shape.elements() > static_cast<std::int64_t>(limit)) return std::nullopt;
  }
  return std::visit([&](const auto& attributes) { return run(attributes, operands, results); }, op);
}

}  // namespace rooflab::onnx
