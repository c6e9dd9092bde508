#include "op_constraints.hpp"

#include <algorithm>
#include <limits>

#include "rooflab/graph/op_facts.hpp"

namespace rooflab::graph {
namespace {

using Extents = std::vector<std::int64_t>;
using Operands = std::span<const Shape* const>;

bool all_at_least(const Extents& extents, std::int64_t least) {
  return std::ranges::all_of(extents, [least](std::int64_t extent) { return extent >= least; });
}

/// No real window comes near; keeps the arithmetic on windows within 64 bits.
constexpr std::int64_t largest_window = std::numeric_limits<std::int32_t>::max();

bool all_at_most(const Extents& extents, std::int64_t most) {
  return std::ranges::all_of(extents, [most](std::int64_t extent) { return extent <= most; });
}

bool is_axis(std::int64_t axis, std::size_t rank) {
  return axis >= 0 && axis < static_cast<std::int64_t>(rank);
}

/// Counted from the front or, when negative, from the end.
bool is_signed_axis(std::int64_t axis, std::size_t rank) {
  return is_axis(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis, rank);
}

bool is_probability(double p) { return p >= 0.0 && p <= 1.0; }

bool divides(std::int64_t divisor, std::int64_t number) {
  return divisor > 0 && number % divisor == 0;
}

template <class Window>
std::string_view window_fault(const Window& op, const Shape& x) {
  const std::size_t spatial = op.kernel.size();
  if (x.rank() != spatial + 2) return "one kernel extent per spatial dimension is needed";
  if (op.stride.size() != spatial || op.padding_begin.size() != spatial ||
      op.padding_end.size() != spatial || op.dilation.size() != spatial) {
    return "kernel, stride, padding and dilation differ in length";
  }
  if (!all_at_least(op.kernel, 1) || !all_at_least(op.stride, 1) || !all_at_least(op.dilation, 1)) {
    return "kernel, stride and dilation must be positive";
  }
  if (!all_at_least(op.padding_begin, 0) || !all_at_least(op.padding_end, 0)) {
    return "a padding is negative";
  }
  for (const Extents* extents :
       {&op.kernel, &op.stride, &op.padding_begin, &op.padding_end, &op.dilation}) {
    if (!all_at_most(*extents, largest_window)) return "a window exceeds 31 bits";
  }
  return {};
}

std::string_view fault(const Conv& op, Operands inputs) {
  const Shape& x = *inputs[0];
  if (const std::string_view found = window_fault(op, x); !found.empty()) return found;
  if (inputs[1]->rank() != x.rank()) return "input and weight differ in rank";
  if (!divides(op.groups, x[1])) return "the groups do not divide the input channels";
  if (!op.transposed && !divides(op.groups, (*inputs[1])[0])) {
    return "the groups do not divide the output channels";
  }
  if (op.output_padding.empty()) return {};
  if (!op.transposed) return "output padding is for transposed convolutions";
  if (op.output_padding.size() != op.kernel.size() || !all_at_least(op.output_padding, 0)) {
    return "one output padding of 0 or more per spatial dimension is needed";
  }
  return {};
}

std::string_view fault(const Recurrent& op, Operands inputs) {
  if (op.layers < 1 || op.layers > most_recurrent_layers)
    return "the number of layers is out of range";
  if (inputs[0]->rank() != 3) return "an input of steps, samples and features is needed";
  return is_probability(op.dropout) ? "" : "the probability is outside 0 to 1";
}

std::string_view fault(const LayerNorm& op, Operands inputs) {
  const bool fits = op.normalized_rank >= 1 && is_axis(op.normalized_rank - 1, inputs[0]->rank());
  return fits ? "" : "the normalised dimensions are not dimensions of the input";
}

std::string_view fault(const GroupNorm& op, Operands inputs) {
  if (inputs[0]->rank() < 2) return "a channel dimension is needed";
  return divides(op.groups, (*inputs[0])[1]) ? "" : "the groups do not divide the channels";
}

std::string_view fault(const LocalResponseNorm& op, Operands) {
  return op.size >= 1 ? "" : "the neighbourhood must be positive";
}

std::string_view fault(const Softmax& op, Operands inputs) {
  return is_signed_axis(op.axis, inputs[0]->rank()) ? "" : "no such axis";
}

std::string_view fault(const Dropout& op, Operands) {
  return is_probability(op.p) ? "" : "the probability is outside 0 to 1";
}

std::string_view fault(const StochasticDepth& op, Operands) {
  return is_probability(op.p) ? "" : "the probability is outside 0 to 1";
}

std::string_view fault(const Pool& op, Operands inputs) { return window_fault(op, *inputs[0]); }

std::string_view fault(const AdaptivePool& op, Operands inputs) {
  if (op.output_size.size() + 2 != inputs[0]->rank()) {
    return "one output extent per spatial dimension is needed";
  }
  return all_at_least(op.output_size, 1) ? "" : "output extents must be positive";
}

std::string_view fault(const Reduce& op, Operands inputs) {
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    if (!is_axis(op.axes[i], inputs[0]->rank())) return "no such axis";
    if (i > 0 && op.axes[i] <= op.axes[i - 1]) return "the axes are not ascending";
  }
  if (op.dtype && op.function != ReduceFunction::l2) return "only an l2 norm has a result type";
  return {};
}

std::string_view fault(const CumulativeSum& op, Operands inputs) {
  return is_signed_axis(op.axis, inputs[0]->rank()) ? "" : "no such axis";
}

std::string_view fault(const TopK& op, Operands inputs) {
  if (op.k < 0) return "k is negative";
  return is_signed_axis(op.axis, inputs[0]->rank()) ? "" : "no such axis";
}

std::string_view fault(const Reshape& op, Operands) {
  if (!all_at_least(op.target, -1)) return "a target extent is below -1";
  return std::ranges::count(op.target, -1) <= 1 ? "" : "more than one target extent is open";
}

std::string_view fault(const Transpose& op, Operands inputs) {
  Extents sorted = op.permutation;
  std::ranges::sort(sorted);
  bool is_permutation = sorted.size() == inputs[0]->rank();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    is_permutation = is_permutation && sorted[i] == static_cast<std::int64_t>(i);
  }
  return is_permutation ? "" : "not a permutation of the dimensions";
}

std::string_view fault(const Expand& op, Operands) {
  return all_at_least(op.target, -1) ? "" : "a target extent is below -1";
}

std::string_view fault(const Slice& op, Operands inputs) {
  const std::size_t count = op.axes.size();
  if (op.begin.size() != count || op.end.size() != count || op.step.size() != count) {
    return "axes, begin, end and step differ in length";
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_axis(op.axes[i], inputs[0]->rank())) return "no such axis";
    if (op.step[i] == 0) return "a step is 0";
    const std::int64_t extent = (*inputs[0])[static_cast<std::size_t>(op.axes[i])];
    // Backwards the range ends before element 0, which is written -1.
    const std::int64_t least = op.step[i] > 0 ? 0 : -1;
    if (op.begin[i] < least || op.begin[i] > extent || op.end[i] < least || op.end[i] > extent) {
      return "a range is not clamped to the extent";
    }
  }
  return {};
}

std::string_view fault(const Split& op, Operands inputs) {
  if (!is_axis(op.axis, inputs[0]->rank())) return "no such axis";
  if (!all_at_least(op.sizes, 0)) return "a size is negative";
  std::int64_t rest = (*inputs[0])[static_cast<std::size_t>(op.axis)];
  for (const std::int64_t size : op.sizes) {
    if (size > rest) return "the sizes do not sum to the extent";
    rest -= size;
  }
  return rest == 0 ? "" : "the sizes do not sum to the extent";
}

std::string_view fault(const Concat& op, Operands inputs) {
  return is_axis(op.axis, inputs[0]->rank()) ? "" : "no such axis";
}

std::string_view fault(const Pad& op, Operands inputs) {
  const std::size_t rank = inputs[0]->rank();
  const bool fits = op.begin.size() == rank && op.end.size() == rank;
  return fits ? "" : "one begin and end per dimension is needed";
}

std::string_view fault(const Gather& op, Operands inputs) {
  return is_signed_axis(op.axis, inputs[0]->rank()) ? "" : "no such axis";
}

/// Fault of an op that indexes its first operand with its second.
std::string_view index_fault(IndexForm form, std::int64_t axis, std::int64_t batch_dims,
                             Operands inputs) {
  if (form == IndexForm::elements) {
    return is_axis(axis, inputs[0]->rank()) ? "" : "no such axis";
  }
  if (inputs[1]->rank() == 0) return "the indices have no dimension of coordinates";
  const std::int64_t depth = inputs[1]->from_end(1);
  const auto rank = static_cast<std::int64_t>(inputs[0]->rank());
  if (depth < 1 || batch_dims < 0 || batch_dims > rank - depth) {
    return "the indices have no coordinates, or more than the data has dimensions";
  }
  return is_axis(batch_dims, inputs[1]->rank()) ? "" : "the coordinates are a batch dimension";
}

std::string_view fault(const GatherElements& op, Operands inputs) {
  return index_fault(op.form, op.axis, op.batch_dims, inputs);
}

std::string_view fault(const Scatter& op, Operands inputs) {
  return index_fault(op.form, op.axis, 0, inputs);
}

std::string_view fault(const Resize& op, Operands inputs) {
  if (op.output.size() != inputs[0]->rank()) return "one output extent per dimension is needed";
  return all_at_least(op.output, 0) ? "" : "an output extent is negative";
}

std::string_view fault(const GridSample& op, Operands inputs) {
  const std::size_t rank = inputs[0]->rank();
  if (rank != 4 && rank != 5) return "two or three spatial dimensions are needed";
  const bool is_bicubic = op.mode == GridSampleMode::bicubic;
  return is_bicubic && rank != 4 ? "bicubic sampling is for two spatial dimensions" : "";
}

std::string_view fault(const Roll& op, Operands inputs) {
  if (op.shifts.size() != op.axes.size()) return "shifts and axes differ in length";
  if (op.axes.empty()) return "at least one axis is needed";
  for (const std::int64_t axis : op.axes) {
    if (!is_axis(axis, inputs[0]->rank())) return "no such axis";
  }
  return {};
}

std::string_view fault(const Opaque& op, Operands) {
  return op.outputs.size() == op.dtypes.size() ? "" : "one element type per output is needed";
}

// Ops without attributes, or whose attributes are right by their type.
std::string_view fault(const Linear&, Operands) { return {}; }
std::string_view fault(const MatMul&, Operands) { return {}; }
std::string_view fault(const Einsum&, Operands) { return {}; }
std::string_view fault(const Attention&, Operands) { return {}; }
std::string_view fault(const BatchNorm&, Operands) { return {}; }
std::string_view fault(const RmsNorm&, Operands) { return {}; }
std::string_view fault(const Unary&, Operands) { return {}; }
std::string_view fault(const Binary&, Operands) { return {}; }
std::string_view fault(const Where&, Operands) { return {}; }
std::string_view fault(const Cast&, Operands) { return {}; }
std::string_view fault(const Contiguous&, Operands) { return {}; }
std::string_view fault(const Triangle&, Operands) { return {}; }
std::string_view fault(const Generate&, Operands) { return {}; }

}  // namespace

Arity arity_of(const Op& op) {
  return std::visit(
      []<class Struct>(const Struct& attributes) -> Arity {
        const auto [least, most] = facts<Struct>.operands.of(attributes);
        return {least, most, facts<Struct>.results.of(attributes)};
      },
      op);
}

std::string_view attribute_fault(const Op& op, std::span<const Shape* const> inputs) {
  return std::visit([inputs](const auto& attributes) { return fault(attributes, inputs); }, op);
}

}  // namespace rooflab::graph
