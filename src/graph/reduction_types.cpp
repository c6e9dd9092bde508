// Type rules of pooling, reductions, scans and selections.

#include <algorithm>

#include "base/format.hpp"
#include "type_rules.hpp"

namespace rooflab::graph {

std::vector<TensorType> infer(const Pool& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(x.shape.rank() >= 3, "pooling needs spatial dimensions");
  const std::size_t spatial = x.shape.rank() - 2;
  require_spatial(op, spatial);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < spatial; ++i) {
    const Window window{op.kernel[i], op.stride[i], op.padding_begin[i], op.padding_end[i],
                        op.dilation[i]};
    shape[i + 2] = window_count(x.shape[i + 2], window, op.ceil_mode);
  }
  return {{x.dtype, shape}};
}

std::vector<TensorType> infer(const AdaptivePool& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(x.shape.rank() == op.output_size.size() + 2, [&] {
    return format("adaptive pooling of {} to {} extents", x.shape.to_string(),
                  op.output_size.size());
  });
  Shape shape = x.shape;
  for (std::size_t i = 0; i < op.output_size.size(); ++i) {
    require(op.output_size[i] > 0, "adaptive pooling needs positive extents");
    shape[i + 2] = op.output_size[i];
  }
  return {{x.dtype, shape}};
}

std::vector<TensorType> infer(const Reduce& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  std::vector<std::int64_t> dims;
  for (const std::int64_t axis : op.axes) (void)normalised_axis(axis, x.shape.rank());
  for (std::size_t axis = 0; axis < x.shape.rank(); ++axis) {
    const bool reduced =
        std::ranges::find(op.axes, static_cast<std::int64_t>(axis)) != op.axes.end();
    if (!reduced) dims.push_back(x.shape[axis]);
    if (reduced && op.keep_dims) dims.push_back(1);
  }
  const bool index =
      op.function == ReduceFunction::arg_max || op.function == ReduceFunction::arg_min;
  return {{index ? DType::i64 : op.dtype.value_or(x.dtype), Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const CumulativeSum& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  (void)normalised_axis(op.axis, x.shape.rank());
  return {x};
}

std::vector<TensorType> infer(const TopK& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  Shape shape = x.shape;
  const std::size_t axis = normalised_axis(op.axis, shape.rank());
  require(op.k >= 0 && op.k <= shape[axis],
          [&] { return format("top {} of {}", op.k, shape[axis]); });
  shape[axis] = op.k;
  return {{x.dtype, shape}, {DType::i64, shape}};
}

std::vector<TensorType> infer_reduction(const Op& op, Types inputs) {
  return visit_families<std::vector<TensorType>, Family::pooling, Family::reduction>(
      op, [inputs](const auto& attributes) { return infer(attributes, inputs); });
}

}  // namespace rooflab::graph
