#include "rooflab/schedule/strides.hpp"

#include <algorithm>
#include <numeric>

#include "rooflab/base/quantity.hpp"

namespace rooflab::schedule {
namespace {

using graph::Shape;

/// Strides of an operand seen with the result's rank: 0 where it is broadcast.
Strides broadcast_strides(const StridedOperand& operand, const Shape& result) {
  Strides strides(result.rank(), 0);
  const std::size_t lead = result.rank() - operand.shape->rank();
  for (std::size_t i = 0; i < operand.shape->rank(); ++i) {
    if ((*operand.shape)[i] != 1 || result[lead + i] == 1) {
      strides[lead + i] = (*operand.strides)[i];
    }
  }
  return strides;
}

/// Whether dimension `a` lies inside `b` in memory: negative yes, positive no, 0 not told.
int memory_order(std::size_t a, std::size_t b, std::span<const Strides> operands,
                 const Shape& result) {
  for (const Strides& strides : operands) {
    if (strides[a] == 0 || strides[b] == 0) continue;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    if (result[a] > result[b]) return 1;
  }
  return 0;
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
  Strides strides(shape.rank(), 1);
  for (std::size_t i = shape.rank(); i-- > 1;) {
    strides[i - 1] = checked_multiply(strides[i], std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

Strides dense_strides(const Shape& shape, std::span<const std::size_t> order) {
  Strides strides(shape.rank(), 1);
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step = checked_multiply(step, std::max<std::int64_t>(shape[order[i]], 1));
  }
  return strides;
}

Strides channels_last_strides(const Shape& shape) {
  std::vector<std::size_t> order = {0};
  for (std::size_t i = 2; i < shape.rank(); ++i) order.push_back(i);
  order.push_back(1);
  return dense_strides(shape, order);
}

bool is_contiguous(const Shape& shape, const Strides& strides) {
  std::int64_t step = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

bool is_channels_last(const Shape& shape, const Strides& strides) {
  if (shape.rank() != 4 && shape.rank() != 5) return false;
  if (strides[1] == 0) return false;
  std::vector<std::size_t> inner_to_outer = {1};
  for (std::size_t i = shape.rank(); i-- > 2;) inner_to_outer.push_back(i);
  inner_to_outer.push_back(0);
  std::int64_t minimum = 0;
  for (const std::size_t axis : inner_to_outer) {
    if (shape[axis] == 0 || strides[axis] < minimum) return false;
    // A batch of 1x1 images of one order is ambiguous: contiguous wins.
    if (axis == 0 && minimum == strides[1]) return false;
    minimum = strides[axis];
    if (shape[axis] > 1) minimum *= shape[axis];
  }
  return true;
}

bool is_dense(const Shape& shape, const Strides& strides) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] != 1) axes.push_back(i);
  }
  std::ranges::sort(axes, {}, [&strides](std::size_t axis) { return strides[axis]; });
  std::int64_t step = 1;
  for (const std::size_t axis : axes) {
    if (strides[axis] != step) return false;
    step *= shape[axis];
  }
  return true;
}

std::string_view memory_format_name(const Shape& shape, const Strides& strides) {
  if (is_contiguous(shape, strides)) return "contiguous";
  return is_channels_last(shape, strides) ? "channels_last" : "strided";
}

std::optional<Strides> view_strides(const Shape& from, const Strides& strides, const Shape& to) {
  if (from.elements() == 0) return contiguous_strides(to);
  Strides result(to.rank(), 1);
  // Walk from the inside: a run of old dimensions that are contiguous with each other can be cut
  // into new dimensions in any way.
  std::size_t next = to.rank();
  std::int64_t run_elements = 1;
  std::int64_t run_stride = from.rank() == 0 ? 1 : strides.back();
  for (std::size_t i = from.rank(); i-- > 0;) {
    run_elements *= from[i];
    const bool run_ends =
        i == 0 || (from[i - 1] != 1 && strides[i - 1] != run_elements * run_stride);
    if (!run_ends) continue;
    std::int64_t covered = 1;
    while (next > 0 && (covered < run_elements || to[next - 1] == 1)) {
      --next;
      result[next] = covered * run_stride;
      covered *= to[next];
    }
    if (covered != run_elements) return std::nullopt;
    if (i > 0) {
      run_elements = 1;
      run_stride = strides[i - 1];
    }
  }
  if (next != 0) {
    for (; next > 0; --next) {
      if (to[next - 1] != 1) return std::nullopt;
    }
  }
  return result;
}

Strides elementwise_strides(std::span<const StridedOperand> operands, const Shape& result) {
  std::vector<Strides> seen;
  for (const StridedOperand& operand : operands) {
    seen.push_back(broadcast_strides(operand, result));
  }
  std::vector<std::size_t> inner_to_outer(result.rank());
  std::iota(inner_to_outer.rbegin(), inner_to_outer.rend(), std::size_t{0});
  // Insertion sort: `memory_order` may not tell some pairs, and those keep their order.
  for (std::size_t i = 1; i < inner_to_outer.size(); ++i) {
    std::size_t moving = i;
    for (std::size_t other = i; other-- > 0;) {
      const int order = memory_order(inner_to_outer[moving], inner_to_outer[other], seen, result);
      if (order > 0) break;
      if (order < 0) {
        std::swap(inner_to_outer[moving], inner_to_outer[other]);
        moving = other;
      }
    }
  }
  std::vector<std::size_t> order(inner_to_outer.rbegin(), inner_to_outer.rend());
  return dense_strides(result, order);
}

}  // namespace rooflab::schedule
