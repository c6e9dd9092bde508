// Types of results from types of operands, one rule an op.
//
// Shapes follow PyTorch's documentation of the module of the same name and, for ops that only ONNX
// has, the ONNX operator specification; both agree wherever they overlap. Windows (convolution and
// pooling) use
//
//     out = floor((in + pad_begin + pad_end - dilation * (kernel - 1) - 1) / stride) + 1
//
// and, with ceil_mode, the ceiling of the same quotient, less one when the last window would start
// in the padding after the input (PyTorch, MaxPool2d). Element types: matrix ops, normalisation and
// activations keep the type of their first operand, elementwise ops promote, comparisons give bool.

#include "base/format.hpp"
#include "type_rules.hpp"

namespace rooflab::graph {

const TensorType& operand(Types inputs, std::size_t index, std::string_view what) {
  require(index < inputs.size(), [&] { return format("operand {} ({}) is missing", index, what); });
  return inputs[index];
}

std::size_t normalised_axis(std::int64_t axis, std::size_t rank) {
  const std::int64_t shifted = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  require(shifted >= 0 && shifted < static_cast<std::int64_t>(rank),
          [&] { return format("axis {} is outside a tensor of rank {}", axis, rank); });
  return static_cast<std::size_t>(shifted);
}

std::int64_t window_count(std::int64_t extent, const Window& window, bool ceil_mode) {
  require(window.kernel > 0 && window.stride > 0 && window.dilation > 0,
          "kernel, stride and dilation must be positive");
  const std::int64_t reach = window.dilation * (window.kernel - 1) + 1;
  const std::int64_t slack = extent + window.padding_begin + window.padding_end - reach;
  // With ceil_mode a window may hang over the end by less than a stride.
  require(slack + (ceil_mode ? window.stride - 1 : 0) >= 0, [&] {
    return format("a window of {} does not fit an extent of {} (with padding {})", reach, extent,
                  window.padding_begin + window.padding_end);
  });
  if (!ceil_mode) return slack / window.stride + 1;
  std::int64_t count = (slack + window.stride - 1) / window.stride + 1;
  if ((count - 1) * window.stride >= extent + window.padding_begin) --count;
  return count;
}

std::vector<TensorType> infer_types(const Op& op, std::span<const TensorType> inputs) {
  switch (family_of(op)) {
    case Family::matrix:
      return infer_matrix(op, inputs);
    case Family::normalisation:
    case Family::elementwise:
      return infer_pointwise(op, inputs);
    case Family::pooling:
    case Family::reduction:
      return infer_reduction(op, inputs);
    case Family::movement:
    case Family::unknown:
      return infer_movement(op, inputs);
  }
  return {};
}

}  // namespace rooflab::graph
